import { onAbort } from '../http/limit-time.ts'
import type { StreamEvent } from './narrow-chat-event.ts'
import { type EventStreamClient, type ParkedStream, runEventStream, type StreamTimers } from './run-event-stream.ts'

/** How to open a stream. The timing options of the first caller on a client apply to all. */
export interface EventStreamOptions {
  readonly client: EventStreamClient
  onEvent(event: StreamEvent): void
  /** The stream may have missed something: reload. `gapMs` says for how long it was silent. */
  onGapRehydrate?(gapMs: number): void
  /** The stream stopped for good after too many failures in a row. */
  onParked?(parked: ParkedStream): void
  /** Ends this subscription only. */
  readonly signal?: AbortSignal
  readonly connectTimeoutMs?: number
  readonly heartbeatTimeoutMs?: number
  readonly maxConsecutiveHardFailures?: number
  readonly timers?: StreamTimers
  /** Start right after this number of the log, on a numbered stream. */
  readonly after?: number
}

/** An open subscription. */
export interface EventStreamHandle {
  /** Ends the subscription; the last one on a client ends the connection. Calling it again does nothing. */
  close(): void
}

type Subscriber = Pick<EventStreamOptions, 'onEvent' | 'onGapRehydrate' | 'onParked'>

interface SharedStream {
  readonly subscribers: Set<Subscriber>
  readonly stop: AbortController
}

const shared = /* @__PURE__ */ new WeakMap<EventStreamClient, SharedStream>()

/**
 * Opens a stream of events and keeps it open: it reconnects, resumes after the last number it saw, drops repeats and
 * notices gaps and silence. Events arrive in order, in batches every 16 ms.
 *
 * @example
 * const stream = openEventStream({ client, onEvent: (event) => state.apply(event), onGapRehydrate: reload })
 * stream.close()
 */
export function openEventStream(options: EventStreamOptions): EventStreamHandle {
  const { client } = options
  const stream = shared.get(client) ?? startStream(options)
  // Each call is a subscription of its own, also when the same options object is used twice.
  const entry = { ...options }
  stream.subscribers.add(entry)
  // Not known yet while a signal that was aborted before closes the subscription at once.
  let leave: (() => void) | undefined
  const close = (): void => {
    leave?.()
    if (!stream.subscribers.delete(entry) || stream.subscribers.size > 0) return
    stream.stop.abort()
    if (shared.get(client) === stream) shared.delete(client)
  }
  leave = onAbort(options.signal, close)
  return { close }
}

function startStream(options: EventStreamOptions): SharedStream {
  const { client } = options
  const stream: SharedStream = { subscribers: new Set(), stop: new AbortController() }
  shared.set(client, stream)
  const tell = (call: (subscriber: Subscriber) => void): void => {
    for (const subscriber of [...stream.subscribers]) {
      if (!stream.subscribers.has(subscriber)) continue
      try {
        call(subscriber)
      } catch (error) {
        console.error('A callback of the event stream threw.', error)
      }
    }
  }
  const sink = {
    onEvents: (events: readonly StreamEvent[]) => {
      for (const event of events) tell((subscriber) => subscriber.onEvent(event))
    },
    onGap: (gapMs: number) => tell((subscriber) => subscriber.onGapRehydrate?.(gapMs)),
    onParked: (parked: ParkedStream) => {
      if (shared.get(client) === stream) shared.delete(client)
      tell((subscriber) => subscriber.onParked?.(parked))
    },
  }
  void runEventStream(options, sink, stream.stop.signal)
  return stream
}
