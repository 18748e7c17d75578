import { describeFailedReply } from '../errors/describe-failure.ts'
import { createSseParser, readSse, type SseFrame } from './parse-sse.ts'

/** How to read one stream of server-sent events. */
export interface SseStreamOptions {
  readonly url: string
  /** Sent as a bearer credential. */
  readonly token?: string | null
  readonly method?: string
  /** Sent as JSON. */
  readonly body?: unknown
  readonly fetch?: typeof globalThis.fetch
  onEvent?(frame: SseFrame): void
  onOpen?(): void
  onError?(error: unknown): void
  readonly signal?: AbortSignal
}

/** A plain reader of server-sent events. */
export interface SseStream {
  /** Connects and resolves when the stream has ended. Never rejects: a failure goes to `onError`. */
  connect(): Promise<void>
  close(): void
  addEventListener(type: string, listener: (frame: SseFrame) => void): void
  removeEventListener(type: string, listener: (frame: SseFrame) => void): void
}

/**
 * Reads one stream of server-sent events with `fetch`, so that it can carry a credential and a body. It does not
 * reconnect; `openEventStream` does.
 *
 * @example
 * const stream = createSSEStream({ url, token, onEvent: ({ data }) => console.log(data) })
 * await stream.connect()
 */
export function createSSEStream(options: SseStreamOptions): SseStream {
  const listeners = new Map<string, Set<(frame: SseFrame) => void>>()
  const stop = new AbortController()
  const close = (): void => stop.abort()
  if (options.signal?.aborted) close()
  options.signal?.addEventListener('abort', close, { once: true })

  const deliver = (frame: SseFrame): void => {
    options.onEvent?.(frame)
    for (const listener of listeners.get(frame.event ?? 'message') ?? []) listener(frame)
  }
  return {
    close,
    async connect() {
      try {
        await readOnce(options, deliver, stop.signal)
      } catch (error) {
        if (!stop.signal.aborted) options.onError?.(error)
      }
    },
    addEventListener(type, listener) {
      listeners.set(type, (listeners.get(type) ?? new Set()).add(listener))
    },
    removeEventListener(type, listener) {
      listeners.get(type)?.delete(listener)
    },
  }
}

async function readOnce(
  options: SseStreamOptions,
  deliver: (frame: SseFrame) => void,
  signal: AbortSignal,
): Promise<void> {
  const { url, token, body, method = body === undefined ? 'GET' : 'POST' } = options
  const headers: Record<string, string> = { Accept: 'text/event-stream' }
  if (token) headers.Authorization = `Bearer ${token}`
  if (body !== undefined) headers['Content-Type'] = 'application/json'
  const request = { method, headers, signal, ...(body !== undefined && { body: JSON.stringify(body) }) }
  const response = await (options.fetch ?? fetch)(url, request)
  if (!response.ok || !response.body) throw describeFailedReply(response, await response.text())
  options.onOpen?.()
  await readSse(response.body, createSseParser(deliver), signal)
}
