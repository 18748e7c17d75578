import { type Clock, sleepWith, type Timer } from './clock.ts'

/** Longer delays make Node fire at once, so they are waited for in parts. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1

export const systemClock: Clock = {
  now: () => new Date(),
  nowMs: () => Date.now(),
  setTimer,
  sleep: (delayMs, signal) => sleepWith(setTimer, delayMs, signal),
}

function setTimer(delayMs: number, run: () => void): Timer {
  let handle: NodeJS.Timeout
  const arm = (leftMs: number): void => {
    const partMs = Math.min(Math.max(leftMs, 0), LONGEST_TIMEOUT_MS)
    handle = setTimeout(() => (leftMs > partMs ? arm(leftMs - partMs) : run()), partMs)
    handle.unref()
  }
  arm(delayMs)
  return { cancel: () => clearTimeout(handle) }
}
