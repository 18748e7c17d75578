import { type Clock, sleepWith, type Timer } from './clock.ts'

export interface FakeClock extends Clock {
  /** Moves time forward and fires every timer that falls due on the way, in order, at its own time. */
  advance(byMs: number): Promise<void>
  /** Sets the time without firing anything, as a clock that steps does. */
  jumpTo(ms: number): void
  pendingTimers(): number
}

interface Pending {
  dueMs: number
  order: number
  run: () => void
}

export function createFakeClock(startMs: number = Date.UTC(2026, 0, 1)): FakeClock {
  let nowMs = startMs
  let order = 0
  const pending = new Set<Pending>()

  function setTimer(delayMs: number, run: () => void): Timer {
    const entry = { dueMs: nowMs + Math.max(0, delayMs), order: order++, run }
    pending.add(entry)
    return { cancel: () => void pending.delete(entry) }
  }

  async function advance(byMs: number): Promise<void> {
    const untilMs = nowMs + byMs
    for (let next = firstDue(pending, untilMs); next; next = firstDue(pending, untilMs)) {
      pending.delete(next)
      nowMs = Math.max(nowMs, next.dueMs)
      next.run()
      await settle()
    }
    nowMs = untilMs
    await settle()
  }

  return {
    now: () => new Date(nowMs),
    nowMs: () => nowMs,
    setTimer,
    sleep: (delayMs, signal) => sleepWith(setTimer, delayMs, signal),
    advance,
    jumpTo: (ms) => {
      nowMs = ms
    },
    pendingTimers: () => pending.size,
  }
}

function firstDue(pending: Set<Pending>, untilMs: number): Pending | undefined {
  let first: Pending | undefined
  for (const entry of pending) {
    if (entry.dueMs > untilMs) continue
    if (!first || entry.dueMs < first.dueMs || (entry.dueMs === first.dueMs && entry.order < first.order)) first = entry
  }
  return first
}

/** Lets promises that the fired timer resolved run before time moves on. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
