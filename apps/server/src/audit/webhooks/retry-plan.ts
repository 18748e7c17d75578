/** The wait before each attempt, as Standard Webhooks recommends. After the last attempt comes the dead letter. */
const seconds = 1_000
const minutes = 60 * seconds
const hours = 60 * minutes
export const waitsMs = [
  0,
  5 * seconds,
  5 * minutes,
  30 * minutes,
  2 * hours,
  5 * hours,
  10 * hours,
  14 * hours,
  20 * hours,
  24 * hours,
] as const
export const maxAttempts = waitsMs.length
const jitter = 0.2
/** A receiver may ask to be left alone, but not for so long that nobody remembers why. */
const longestRetryAfterMs = 24 * hours
const firstSlowMs = minutes
const longestSlowMs = hours

/** From 0 up to, not including, 1. */
export type Chance = () => number

/** How long to wait after this many attempts; undefined when there is none left. */
export function planWaitMs(attemptsMade: number, retryAfterMs: number, random: Chance): number | undefined {
  const waitMs = waitsMs[attemptsMade]
  if (waitMs === undefined) return undefined
  return Math.round(
    Math.max(waitMs * (1 - jitter + 2 * jitter * random()), Math.min(retryAfterMs, longestRetryAfterMs)),
  )
}

/** Statuses by which a receiver, or what stands before it, says that it is under load. */
export function asksToSlowDown(status: number | undefined): boolean {
  return status === 429 || status === 502 || status === 504
}

/** How long a receiver under load gets nothing at all: a minute, doubled each time it says so again. */
export function planSlowMs(level: number, retryAfterMs: number): number {
  const ownMs = Math.min(firstSlowMs * 2 ** Math.min(level, 10), longestSlowMs)
  return Math.max(ownMs, Math.min(retryAfterMs, longestRetryAfterMs))
}

/** `Retry-After` in either of its forms; 0 when there is none or it makes no sense. */
export function readRetryAfterMs(header: string | undefined, nowMs: number): number {
  if (header === undefined) return 0
  if (/^\d{1,9}$/.test(header.trim())) return Number(header) * seconds
  const at = Date.parse(header)
  return Number.isNaN(at) ? 0 : Math.max(0, at - nowMs)
}
