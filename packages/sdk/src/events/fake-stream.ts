import type { EventStreamClient, EventStreamReply, StreamTimers } from './run-event-stream.ts'

/** A clock that moves only when a test says so. */
export interface FakeTimers extends StreamTimers {
  /** Moves the clock and runs what falls due, letting promises settle in between. */
  advance(ms: number): Promise<void>
}

export function createFakeTimers(): FakeTimers {
  let nowMs = 1_000_000
  let timers: { readonly dueMs: number; readonly run: () => void }[] = []
  return {
    now: () => nowMs,
    schedule(run, delayMs) {
      const timer = { dueMs: nowMs + delayMs, run }
      timers.push(timer)
      return () => {
        timers = timers.filter((other) => other !== timer)
      }
    },
    async advance(ms) {
      const endMs = nowMs + ms
      await settle()
      for (;;) {
        const next = timers.filter(({ dueMs }) => dueMs <= endMs).sort((a, b) => a.dueMs - b.dueMs)[0]
        if (next === undefined) break
        timers = timers.filter((other) => other !== next)
        nowMs = next.dueMs
        next.run()
        await settle()
      }
      nowMs = endMs
      await settle()
    },
  }
}

/** One connection a test holds in its hand. */
export interface FakeConnection {
  readonly lastEventId: string | undefined
  readonly signal: AbortSignal
  /** Answers the connect and gives the sender. */
  accept(status?: number): void
  fail(error: unknown): void
  /** Sends one frame with this event as its data. */
  send(event: unknown, id?: number): void
  sendRaw(text: string): void
  end(): void
}

export interface FakeClient extends EventStreamClient {
  readonly connections: FakeConnection[]
  refreshes: number
}

/** A source whose connections the test answers by hand. */
export function createFakeClient(numbered: boolean): FakeClient {
  const connections: FakeConnection[] = []
  return {
    numbered,
    connections,
    refreshes: 0,
    connectEvents({ lastEventId, signal }) {
      return new Promise<EventStreamReply>((resolve, reject) => {
        connections.push(createConnection(lastEventId, signal, resolve, reject))
      })
    },
    async refreshToken() {
      this.refreshes++
    },
  }
}

function createConnection(
  lastEventId: string | undefined,
  signal: AbortSignal,
  resolve: (reply: EventStreamReply) => void,
  reject: (error: unknown) => void,
): FakeConnection {
  let sender: ReadableStreamDefaultController<Uint8Array> | undefined
  const encoder = new TextEncoder()
  const sendRaw = (text: string): void => sender?.enqueue(encoder.encode(text))
  return {
    lastEventId,
    signal,
    accept(status = 200) {
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          sender = controller
        },
      })
      resolve({ status, body })
    },
    fail: reject,
    sendRaw,
    send(event, id) {
      sendRaw(`${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(event)}\n\n`)
    },
    end: () => sender?.close(),
  }
}

/** Lets everything that is ready run, web streams included. */
async function settle(): Promise<void> {
  for (let at = 0; at < 5; at++) await new Promise((resolve) => setImmediate(resolve))
}
