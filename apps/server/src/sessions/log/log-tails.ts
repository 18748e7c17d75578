import type { Database } from '../../kernel/database/index.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { sessionLogged } from '../events.ts'
import { type LoggedEvent, readLogPage } from '../store/log.ts'

/** The end of a session's log while somebody reads it: many readers, one query. */
export interface LogTail {
  /** Events after a number, as many as there are at hand; undefined when they must be read from the table. */
  since(after: number): readonly LoggedEvent[] | undefined
  /** Told by a reader that has read everything up to this number from the table. */
  reached(seq: number): void
  /** Resolves when the log has grown past `after`, or the time is over, or the signal aborts. */
  growth(after: number, timeoutMs: number, signal: AbortSignal): Promise<void>
  /** Looks at the table, whatever was heard. */
  look(): void
  release(): void
}

export interface LogTails {
  open(sessionId: string): LogTail
}

export interface TailKernel extends Pick<Kernel, 'events' | 'log' | 'clock'> {
  readonly database: Pick<Database, 'db'>
}

const maxKept = 1000
const pageSize = 500

interface Tail {
  readers: number
  /** One after the other; the last of them is `latest`. */
  events: LoggedEvent[]
  /** Undefined until a reader has come to the end of the log. */
  latest: number | undefined
  /** The log has at least this many. */
  heard: number
  waiting: Set<() => void>
  reading: Promise<void> | undefined
  again: boolean
}

export function createLogTails(kernel: TailKernel): LogTails {
  const tails = new Map<string, Tail>()

  kernel.events.subscribe(sessionLogged, ({ session_id, seq }) => note(session_id, seq), {
    onGap: () => {
      for (const [sessionId, tail] of tails) look(sessionId, tail)
    },
  })

  function note(sessionId: string, seq: number): void {
    const tail = tails.get(sessionId)
    if (!tail || seq <= tail.heard) return
    tail.heard = seq
    look(sessionId, tail)
  }

  function look(sessionId: string, tail: Tail): void {
    if (tail.latest === undefined) wakeAll(tail)
    else advance(sessionId, tail)
  }

  function advance(sessionId: string, tail: Tail): void {
    tail.again = true
    tail.reading ??= catchUp(sessionId, tail).finally(() => {
      tail.reading = undefined
    })
  }

  /** A failed read is tried again with the next event; readers look by themselves meanwhile. */
  async function catchUp(sessionId: string, tail: Tail): Promise<void> {
    while (tail.again && tail.readers > 0) {
      tail.again = false
      const fresh = await readLogPage(kernel.database.db, sessionId, tail.latest ?? 0, pageSize).catch(
        (error: unknown) => {
          kernel.log.warn('the end of a session’s log could not be read', { session_id: sessionId, error })
          return []
        },
      )
      if (fresh.length === pageSize) tail.again = true
      tail.events = [...tail.events, ...fresh].slice(-maxKept)
      tail.latest = fresh.at(-1)?.seq ?? tail.latest
      tail.heard = Math.max(tail.heard, tail.latest ?? 0)
      wakeAll(tail)
    }
  }

  return {
    open(sessionId) {
      const tail = tails.get(sessionId) ?? newTail()
      tails.set(sessionId, tail)
      tail.readers += 1
      return {
        since(after) {
          if (tail.latest === undefined || after < tail.latest - tail.events.length) return undefined
          return tail.events.slice(Math.max(0, tail.events.length - (tail.latest - after)))
        },
        reached(seq) {
          if (tail.latest !== undefined) return
          tail.latest = seq
          if (tail.heard > seq) advance(sessionId, tail)
        },
        growth: (after, timeoutMs, signal) =>
          new Promise((resolve) => {
            if ((tail.latest ?? tail.heard) > after || signal.aborted) return resolve()
            const timer = kernel.clock.setTimer(timeoutMs, finish)
            tail.waiting.add(finish)
            signal.addEventListener('abort', finish, { once: true })
            function finish(): void {
              timer.cancel()
              tail.waiting.delete(finish)
              signal.removeEventListener('abort', finish)
              resolve()
            }
          }),
        look: () => look(sessionId, tail),
        release() {
          tail.readers -= 1
          if (tail.readers === 0) tails.delete(sessionId)
        },
      }
    },
  }
}

function wakeAll({ waiting }: Tail): void {
  for (const wake of [...waiting]) wake()
}

const newTail = (): Tail => ({
  readers: 0,
  events: [],
  latest: undefined,
  heard: 0,
  waiting: new Set(),
  reading: undefined,
  again: false,
})
