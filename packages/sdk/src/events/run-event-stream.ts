import { onAbort, until } from '../http/limit-time.ts'
import { addToBatch, BATCH_MS } from './batch-events.ts'
import { decodeEvent } from './decode-event.ts'
import type { StreamEvent } from './narrow-chat-event.ts'
import { type ByteStream, createSseParser, readSse } from './parse-sse.ts'
import { createSequenceTracker } from './track-sequence.ts'

/** The reply to an attempt to connect; a fetch `Response` is one. */
export interface EventStreamReply {
  readonly status: number
  readonly body: ByteStream | null
}

/** Where a stream comes from. Streams opened on the same object share one connection. */
export interface EventStreamClient {
  /** True for a session's durable log, whose events carry numbers. */
  readonly numbered?: boolean
  /** Opens one connection; `lastEventId` is sent as `Last-Event-ID`. */
  connectEvents(request: {
    readonly lastEventId: string | undefined
    readonly signal: AbortSignal
  }): Promise<EventStreamReply>
  /** Called after a 401 or 403, before the next attempt. */
  refreshToken?(): Promise<unknown>
}

/** The clock of a stream; tests bring their own. */
export interface StreamTimers {
  now(): number
  /** Calls back once after the delay; the result cancels it. */
  schedule(callback: () => void, delayMs: number): () => void
}

/** What a stream reads from, and its limits. */
export interface StreamSource {
  readonly client: EventStreamClient
  readonly connectTimeoutMs?: number
  readonly heartbeatTimeoutMs?: number
  readonly maxConsecutiveHardFailures?: number
  readonly timers?: StreamTimers
  /** Start right after this number of the log, on a numbered stream. */
  readonly after?: number
}

/** Why a stream stopped for good. */
export interface ParkedStream {
  readonly consecutiveFailures: number
  readonly lastError: unknown
}

/** What a running stream reports. */
export interface StreamSink {
  onEvents(events: readonly StreamEvent[]): void
  onGap(gapMs: number): void
  onParked(parked: ParkedStream): void
}

/** How one connection went. */
interface Attempt {
  readonly delivered: boolean
  readonly status: number
  readonly durationMs: number
  readonly error: unknown
}

const SYSTEM_TIMERS: StreamTimers = {
  now: () => Date.now(),
  schedule: (callback, delayMs) => {
    const timer = setTimeout(callback, delayMs)
    return () => clearTimeout(timer)
  },
}
const RECONNECT_MS = 250
const LONGEST_BACKOFF_MS = 30_000
const SHORT_LIFE_MS = 2000
const RUNTIME_GAP_MS = 5000

/**
 * Keeps one stream alive until `signal` aborts or it fails too often in a row. Resolves when it is over.
 */
export async function runEventStream(
  {
    client,
    timers = SYSTEM_TIMERS,
    connectTimeoutMs = 20_000,
    heartbeatTimeoutMs = 45_000,
    maxConsecutiveHardFailures = 8,
    after,
  }: StreamSource,
  sink: StreamSink,
  signal: AbortSignal,
): Promise<void> {
  const sequence = createSequenceTracker(after)
  const batch = new Map<unknown, StreamEvent>()
  let cancelFlush: (() => void) | undefined
  let lastActivityMs: number | undefined
  let idleAttempts = 0
  let hardFailures = 0

  const flush = (): void => {
    cancelFlush?.()
    cancelFlush = undefined
    const events = [...batch.values()]
    batch.clear()
    if (!signal.aborted) sink.onEvents(events)
  }
  const reportGap = (sinceMs: number | undefined): void => {
    flush()
    if (!signal.aborted) sink.onGap(sinceMs === undefined ? 0 : timers.now() - sinceMs)
  }

  while (!signal.aborted) {
    const { delivered, status, durationMs, error } = await connectOnce()
    if (signal.aborted) break
    if (delivered) {
      idleAttempts = hardFailures = 0
      await sleep(RECONNECT_MS)
      continue
    }
    hardFailures = status >= 400 || durationMs < SHORT_LIFE_MS ? hardFailures + 1 : 0
    if (hardFailures >= maxConsecutiveHardFailures) {
      flush()
      sink.onParked({ consecutiveFailures: hardFailures, lastError: error })
      return
    }
    // A failed refresh shows itself in the next attempt, which carries the old token.
    if (status === 401 || status === 403) await client.refreshToken?.().catch(() => undefined)
    await sleep(Math.min(LONGEST_BACKOFF_MS, 1000 * 2 ** idleAttempts++))
  }
  cancelFlush?.()

  async function connectOnce(): Promise<Attempt> {
    const startedMs = timers.now()
    const silentSinceMs = lastActivityMs
    const connection = new AbortController()
    // The first reason stays: ending again changes nothing.
    const end = (why?: string): void => connection.abort(why && new Error(`The event stream ${why}.`))
    const leave = onAbort(signal, () => end())
    let delivered = false
    let status = 0
    let error: unknown
    let cancelWatch = timers.schedule(() => end(`did not connect within ${connectTimeoutMs / 1000}s`), connectTimeoutMs)
    const watch = (delayMs: number): void => {
      cancelWatch = timers.schedule(() => {
        const leftMs = (lastActivityMs ?? 0) + heartbeatTimeoutMs - timers.now()
        if (leftMs > 0) watch(leftMs)
        else end(`was silent for ${heartbeatTimeoutMs / 1000}s`)
      }, delayMs)
    }
    const noteActivity = (): void => {
      lastActivityMs = timers.now()
    }
    const parser = createSseParser((frame) => {
      if (connection.signal.aborted) return
      noteActivity()
      const event = decodeEvent(frame)
      if (event === undefined) return
      const verdict = client.numbered ? sequence.check(event) : 'deliver'
      if (verdict === 'drop') return
      if (verdict === 'gap') return end(`skipped an event after ${sequence.lastSeq()}`)
      if (verdict === 'reset') reportGap(silentSinceMs)
      delivered = true
      addToBatch(batch, event)
      cancelFlush ??= timers.schedule(flush, BATCH_MS)
    }, noteActivity)

    try {
      const lastEventId = client.numbered ? sequence.lastSeq()?.toString() : undefined
      const reply = await until(connection.signal, client.connectEvents({ lastEventId, signal: connection.signal }))
      status = reply.status
      cancelWatch()
      if (status >= 400 || reply.body === null) throw new Error(`The event stream answered ${status}.`)
      noteActivity()
      if (!client.numbered && silentSinceMs !== undefined && timers.now() - silentSinceMs > RUNTIME_GAP_MS) {
        reportGap(silentSinceMs)
      }
      watch(heartbeatTimeoutMs)
      await readSse(reply.body, parser, connection.signal)
    } catch (thrown) {
      error = thrown
    }
    error = connection.signal.reason ?? error
    cancelWatch()
    leave()
    end()
    return { delivered, status, durationMs: timers.now() - startedMs, error }
  }

  /** Waits, and no longer than until the stream is closed. */
  async function sleep(delayMs: number): Promise<void> {
    let cancel = (): void => undefined
    const rest = new Promise<void>((resolve) => {
      cancel = timers.schedule(resolve, delayMs)
    })
    await until(signal, rest).catch(cancel)
  }
}
