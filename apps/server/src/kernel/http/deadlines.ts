import { problem } from './problem.ts'

interface Running {
  readonly endsAtMs: number
  readonly expire: () => void
}

/**
 * The server's processing deadlines. One slow tick serves every request in flight: a timer each would cost more than
 * the requests themselves. Resolution is `tickMs`; a deadline is never early.
 */
export function createDeadlines(tickMs = 250) {
  const running = new Set<Running>()
  const timer = setInterval(() => {
    const nowMs = performance.now()
    for (const entry of running) {
      if (entry.endsAtMs > nowMs) continue
      running.delete(entry)
      entry.expire()
    }
  }, tickMs)
  timer.unref()

  return {
    /** The work's result, or 503 `request_deadline` when it takes longer; then `onExpire` stops the work. */
    within<T>(work: Promise<T>, deadlineMs: number, onExpire: () => void): Promise<T> {
      return new Promise<T>((resolve, reject) => {
        const entry: Running = {
          endsAtMs: performance.now() + deadlineMs,
          expire: () => {
            reject(problem('request_deadline', { headers: { 'retry-after': '10' } }))
            onExpire()
          },
        }
        running.add(entry)
        work.then(
          (value) => {
            running.delete(entry)
            resolve(value)
          },
          (error: unknown) => {
            running.delete(entry)
            reject(error)
          },
        )
      })
    },
    stop: () => clearInterval(timer),
  }
}

export type Deadlines = ReturnType<typeof createDeadlines>
