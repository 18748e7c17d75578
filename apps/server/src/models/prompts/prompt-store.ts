import type { Kernel, OnStop } from '../../kernel/kernel.ts'
import { tryParse } from '../wire/json.ts'
import { addPrompt, findPrompt } from './store.ts'

export interface KeptPrompt {
  readonly callId: string
  readonly accountId: string
  readonly projectId: string
  readonly request: string | undefined
  readonly response: string | undefined
  readonly createdAt: Date
}

/** What projects that ask for it keep of their calls. Best effort: a call never waits for it, nor fails by it. */
export interface PromptStore {
  keep(prompt: KeptPrompt): void
  read(place: Pick<KeptPrompt, 'callId' | 'accountId' | 'projectId'>): Promise<{ request: unknown; response: unknown }>
}

/** Waiting for the database; beyond it what is new is not kept. */
const maxWaitingBytes = 32 * 1024 * 1024

export function createPromptStore({ database, envelope, clock, log }: Kernel, onStop: OnStop): PromptStore {
  let writing: Promise<void> = Promise.resolve()
  let waitingBytes = 0

  async function write(prompt: KeptPrompt, sizeBytes: number): Promise<void> {
    try {
      const seal = (field: string, text: string | undefined) =>
        text === undefined ? null : envelope.seal(placeOf(prompt, field), text)
      const request = await seal('request', prompt.request)
      const response = await seal('response', prompt.response)
      await addPrompt(database.sql, { ...prompt, request, response })
    } catch (error) {
      log.warn('a prompt could not be kept', { call_id: prompt.callId, error })
    } finally {
      waitingBytes -= sizeBytes
    }
  }

  onStop(() => writing)
  return {
    keep(prompt) {
      const sizeBytes = (prompt.request?.length ?? 0) + (prompt.response?.length ?? 0)
      if (waitingBytes + sizeBytes > maxWaitingBytes) {
        log.warn('a prompt is not kept: too many wait for the database', { call_id: prompt.callId })
        return
      }
      waitingBytes += sizeBytes
      writing = writing.then(() => write(prompt, sizeBytes))
    },
    async read(place) {
      await writing
      const row = await findPrompt(database.sql, place.projectId, place.callId, clock.now())
      const open = async (field: string, sealed: Buffer | null | undefined) =>
        sealed ? tryParse(await envelope.openText(placeOf(place, field), sealed)) : null
      return {
        request: await open('request', row?.sealed_request),
        response: await open('response', row?.sealed_response),
      }
    },
  }
}

function placeOf({ accountId, callId }: Pick<KeptPrompt, 'accountId' | 'callId'>, field: string) {
  return { scope: accountId, table: 'model_prompts', row: callId, field }
}
