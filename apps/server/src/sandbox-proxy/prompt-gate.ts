import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { problem } from '../kernel/http/index.ts'
import type { Principal } from '../kernel/principal.ts'
import type { OpenedSession, Parts, PromptFacts } from './parts.ts'
import { plainPath } from './read-target.ts'
import { rememberPrompt } from './store.ts'

const promptPath = /^\/+session\/.+\/(message|prompt_async|command)\/*$/
const maxPromptBytes = 12 * 1024 * 1024
const rememberMs = 10 * 60_000

export interface Prompt extends PromptFacts {
  readonly body: Buffer
  readonly messageId: string | undefined
}

/** The prompt in a request to the agent runtime; undefined for any other request. */
export async function readPrompt(incoming: IncomingMessage, path: string): Promise<Prompt | undefined> {
  const kind = incoming.method === 'POST' ? promptPath.exec(plainPath(path))?.[1] : undefined
  if (kind !== 'message' && kind !== 'prompt_async' && kind !== 'command') return undefined
  const body = await readWhole(incoming)
  const document = readDocument(body)
  return { kind, body, agent: textOf(document, 'agent'), messageId: textOf(document, 'messageID') }
}

/**
 * What tells a prompt from others: the caller's key, else the message's id, else its content. A command may be meant
 * twice and is only told by a key; undefined then.
 */
export function fingerprint(prompt: Prompt, key: string | undefined): string | undefined {
  const name = key ?? prompt.messageId ?? (prompt.kind === 'command' ? undefined : hash(prompt.body))
  return name === undefined ? undefined : hash(name)
}

/** Whether this very prompt was passed on before, within ten minutes; from now on it counts as passed on. */
export async function isRepeated({ kernel }: Parts, { sessionId }: OpenedSession, print: string): Promise<boolean> {
  const expiresAt = new Date(kernel.clock.nowMs() + rememberMs)
  return !(await rememberPrompt(kernel.database.sql, sessionId, print, expiresAt))
}

export async function admitPrompt({ sessions }: Parts, principal: Principal, session: OpenedSession, prompt: Prompt) {
  return sessions.admitPrompt(principal, session, { kind: prompt.kind, agent: prompt.agent })
}

async function readWhole(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let received = 0
  for await (const chunk of incoming) {
    received += (chunk as Buffer).length
    if (received > maxPromptBytes) {
      throw problem('upload_too_large', { extras: { max_bytes: maxPromptBytes, received_bytes: received } })
    }
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks)
}

/** What is no JSON is for the runtime to refuse. */
function readDocument(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    // Passed on as it is: the runtime's own refusal says what is wrong with it.
    return undefined
  }
}

function textOf(document: unknown, name: string): string | undefined {
  if (typeof document !== 'object' || document === null) return undefined
  const value: unknown = Reflect.get(document, name)
  return typeof value === 'string' && value !== '' ? value : undefined
}

function hash(value: string | Buffer): string {
  return createHash('sha256').update(value).digest('hex')
}
