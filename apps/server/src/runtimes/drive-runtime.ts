import { readEventStream } from './read-event-stream.ts'
import { RuntimeRequestError, requestRuntime } from './request-runtime.ts'
import type { AgentRuntime, PromptInput, RuntimeMessage } from './runtime.ts'

type Json = Readonly<Record<string, unknown>>

/** How the platform talks to a runtime: every runtime serves this dialect, opencode by itself, others by a bridge. */
export const drive: Omit<AgentRuntime, 'kind' | 'capabilities' | 'prepare'> = {
  async open(send, conversationId, title) {
    if (conversationId !== undefined && (await exists(send, conversationId))) return { conversationId }
    // Without a title the runtime asks its small model for one.
    const made = await requestRuntime(send, 'POST /session', title === '' ? {} : { title })
    const id = asObject(made).id
    if (typeof id !== 'string') throw new Error('The runtime made a conversation without an id.')
    return { conversationId: id }
  },

  async prompt(send, conversationId, prompt) {
    await requestRuntime(send, `POST /session/${conversationId}/prompt_async`, promptBody(prompt))
  },

  async abort(send, conversationId) {
    await requestRuntime(send, `POST /session/${conversationId}/abort`)
  },

  async messages(send, conversationId) {
    return readList(await requestRuntime(send, `GET /session/${conversationId}/message`)).map(readMessage)
  },

  async isBusy(send, conversationId) {
    const status = asObject(asObject(await requestRuntime(send, 'GET /session/status'))[conversationId])
    return status.type !== undefined && status.type !== 'idle'
  },

  async listAsks(send) {
    const [questions, permissions] = await Promise.all([
      requestRuntime(send, 'GET /question'),
      requestRuntime(send, 'GET /permission'),
    ])
    return { questions: readList(questions).map(asObject), permissions: readList(permissions).map(asObject) }
  },

  async answerQuestion(send, requestId, answers) {
    const at = `POST /question/${encodeURIComponent(requestId)}`
    if (answers === undefined) await requestRuntime(send, `${at}/reject`)
    else await requestRuntime(send, `${at}/reply`, { answers })
  },

  async answerPermission(send, requestId, reply, message) {
    const body = { reply, ...(message === undefined ? {} : { message }) }
    await requestRuntime(send, `POST /permission/${encodeURIComponent(requestId)}/reply`, body)
  },

  async *events(send, signal) {
    const response = await send({ method: 'GET', path: '/event', signal })
    if (response.status !== 200) {
      throw new RuntimeRequestError(response.status, `The runtime refused its event stream with ${response.status}.`)
    }
    yield* readEventStream(response.body)
  },
}

async function exists(send: Parameters<AgentRuntime['open']>[0], conversationId: string): Promise<boolean> {
  try {
    await requestRuntime(send, `GET /session/${conversationId}`)
    return true
  } catch (error) {
    if (RuntimeRequestError.isInstance(error) && (error.status === 404 || error.status === 400)) return false
    throw error
  }
}

function promptBody({ messageId, parts, agent, model, variant }: PromptInput): Json {
  return {
    messageID: messageId,
    parts,
    ...(agent === undefined ? {} : { agent }),
    ...(model === undefined ? {} : { model }),
    ...(variant === undefined ? {} : { variant }),
  }
}

function readMessage(value: unknown): RuntimeMessage {
  const { info, parts } = asObject(value)
  return { info: asObject(info), parts: readList(parts).map(asObject) }
}

function readList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function asObject(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
}
