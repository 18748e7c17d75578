/** Where the platform reads time from and waits: the system's clock in production, a fake one in tests. */
export interface Clock {
  now(): Date
  nowMs(): number
  /** Runs once after the delay. A pending timer never keeps the process alive on its own. */
  setTimer(delayMs: number, run: () => void): Timer
  /** Resolves after the delay, or at once when the signal aborts. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>
}

export interface Timer {
  cancel(): void
}

/** `sleep` for a clock that has `setTimer`. */
export function sleepWith(setTimer: Clock['setTimer'], delayMs: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    const finish = () => {
      signal?.removeEventListener('abort', wake)
      resolve()
    }
    const timer = setTimer(delayMs, finish)
    const wake = () => {
      timer.cancel()
      finish()
    }
    signal?.addEventListener('abort', wake, { once: true })
  })
}
