import type { operations, ServerEvent } from '@svc/contract'
import type { Call } from '../../kernel/http/index.ts'
import { invalid } from '../../kernel/http/index.ts'
import { openSession } from '../access.ts'
import type { Parts } from '../parts.ts'
import { type LoggedEvent, readHead, readLogPage } from '../store/log.ts'

type EventsCall = Call<typeof operations.sessions.events>
type Frame = ServerEvent<{ seq?: number; type: string; properties: Record<string, unknown> }>

const pageSize = 200
const heartbeatMs = 10_000
/** Whether the session is still shared with the reader is asked again this often. */
const recheckMs = 1_000

/** The log from a number on, then live, until the reader leaves or may no longer read. */
export async function followLog(parts: Parts, call: EventsCall): Promise<AsyncIterable<Frame>> {
  const { row } = await openSession(parts, call)
  return follow(parts, call, row.sessionId, readPosition(call))
}

async function* follow(parts: Parts, call: EventsCall, sessionId: string, after: number): AsyncGenerator<Frame> {
  const { kernel, tails } = parts
  const { db } = kernel.database
  const ending = endWith(parts, call)
  const tail = tails.open(sessionId)
  let at = after
  let checkedAtMs = kernel.clock.nowMs()
  let frameAtMs = checkedAtMs
  try {
    const head = await readHead(db, sessionId)
    if (at < head.firstSeq - 1 || at > head.lastSeq) {
      yield plain('stream.reset', { oldest: head.firstSeq, latest: head.lastSeq })
      at = head.firstSeq - 1
    }
    // At once, so that a reader knows where the log stands before anything happens.
    yield plain('heartbeat', { latest: head.lastSeq })
    while (!ending.signal.aborted) {
      const atHand = tail.since(at)
      const events = atHand ?? (await readLogPage(db, sessionId, at, pageSize))
      if (!atHand && events.length === 0) tail.reached(at)
      for (const event of events) {
        if (event.seq !== at + 1) break
        yield numbered(event)
        at = event.seq
        frameAtMs = kernel.clock.nowMs()
      }
      if (ending.signal.aborted) return
      if (kernel.clock.nowMs() - checkedAtMs >= recheckMs) {
        await openSession(parts, call)
        checkedAtMs = kernel.clock.nowMs()
      }
      if (events.length > 0) continue
      await tail.growth(at, Math.min(recheckMs, heartbeatMs), ending.signal)
      if (kernel.clock.nowMs() - frameAtMs < heartbeatMs) continue
      tail.look()
      yield plain('heartbeat', { latest: at })
      frameAtMs = kernel.clock.nowMs()
    }
  } finally {
    tail.release()
    ending.release()
  }
}

const numbered = ({ seq, type, properties }: LoggedEvent): Frame => ({
  id: seq,
  data: { seq, type, properties: { ...properties } },
})

const plain = (type: string, properties: Record<string, unknown>): Frame => ({ data: { type, properties } })

/** `Last-Event-ID` is what a browser sends by itself when it reconnects, so it wins over the address. */
function readPosition({ request, query }: EventsCall): number {
  const header = request.incoming.headers['last-event-id']
  if (typeof header !== 'string' || header === '') return query.after ?? 0
  if (/^\d{1,15}$/.test(header)) return Number(header)
  throw invalid([{ path: 'Last-Event-ID', message: 'must be a number of an earlier event' }])
}

/** Aborts when the reader leaves and when the server stops. A credential that ends cuts the connection itself. */
function endWith(parts: Parts, call: EventsCall) {
  const controller = new AbortController()
  const end = () => controller.abort()
  const release = parts.live.onStop(end)
  if (call.signal.aborted) end()
  call.signal.addEventListener('abort', end, { once: true })
  return {
    signal: controller.signal,
    release() {
      release()
      call.signal.removeEventListener('abort', end)
    },
  }
}
