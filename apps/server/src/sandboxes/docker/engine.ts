import { type IncomingMessage, request } from 'node:http'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'

/** What an engine refused, in its own words. */
export class EngineError extends Error {
  override readonly name = 'EngineError'
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

export interface EngineCall {
  readonly method?: 'GET' | 'POST' | 'DELETE'
  readonly query?: Readonly<Record<string, string>>
  /** A JSON document. */
  readonly body?: unknown
  /** Bytes of another kind. */
  readonly upload?: { readonly type: string; readonly stream: Readable }
  readonly signal?: AbortSignal
  readonly timeoutMs?: number
}

/** The HTTP API that Docker speaks and Podman too. */
export interface Engine {
  readonly socketPath: string
  /** The answer as a document; undefined when it has none. */
  ask(path: string, call?: EngineCall): Promise<unknown>
  /** The answer as it comes. */
  stream(path: string, call?: EngineCall): Promise<IncomingMessage>
}

const apiVersion = 'v1.41'
const patienceMs = 60_000

export function connectEngine(socketPath: string): Engine {
  async function stream(path: string, call: EngineCall = {}): Promise<IncomingMessage> {
    const answer = await send(socketPath, path, call)
    const status = answer.statusCode ?? 0
    if (status < 400) return answer
    throw new EngineError(status, readMessage(await text(answer)) || `the engine answered ${status}`)
  }
  return {
    socketPath,
    stream,
    async ask(path, call = {}) {
      const answer = await stream(path, { timeoutMs: patienceMs, ...call })
      const body = await text(answer)
      // Some answers come without their type.
      const isDocument = answer.headers['content-type']?.includes('json') || /^\s*[[{]/.test(body)
      return isDocument && body.trim() !== '' ? JSON.parse(body) : undefined
    },
  }
}

export function isEngineError(error: unknown, ...statuses: number[]): error is EngineError {
  return error instanceof EngineError && (statuses.length === 0 || statuses.includes(error.status))
}

function send(socketPath: string, path: string, call: EngineCall): Promise<IncomingMessage> {
  const { method = 'GET', query = {}, body, upload, signal, timeoutMs } = call
  const document = body === undefined ? undefined : JSON.stringify(body)
  const search = new URLSearchParams(query).toString()
  const headers: Record<string, string> = {
    host: 'engine',
    ...(document === undefined
      ? {}
      : { 'content-type': 'application/json', 'content-length': `${Buffer.byteLength(document)}` }),
    ...(upload ? { 'content-type': upload.type } : {}),
  }
  return new Promise((resolve, reject) => {
    const sent = request({
      socketPath,
      // The shared agent ends connections that are silent for five seconds; waiting for a machine's end is silent for days.
      agent: false,
      method,
      path: `/${apiVersion}${path}${search === '' ? '' : `?${search}`}`,
      headers,
      ...(signal ? { signal } : {}),
      ...(timeoutMs ? { timeout: timeoutMs } : {}),
    })
    sent.once('response', resolve)
    if (timeoutMs) sent.once('timeout', () => sent.destroy(new Error('the engine does not answer')))
    // Also after the answer has begun, so that a cut connection never ends the process.
    sent.on('error', reject)
    if (upload) pipeline(upload.stream, sent).catch(reject)
    else sent.end(document)
  })
}

function readMessage(body: string): string {
  try {
    const parsed: unknown = JSON.parse(body)
    const message = isRecord(parsed) ? (parsed.message ?? parsed.cause) : undefined
    return typeof message === 'string' ? message : ''
  } catch {
    // Not a document: the words themselves are the message.
    return body.trim().slice(0, 2_000)
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
