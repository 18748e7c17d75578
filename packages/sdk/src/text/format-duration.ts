/**
 * Whole minutes and seconds of a duration; no hours. Below a second, or not finite, gives `''`.
 *
 * @example
 * formatDuration(4300) // '4s'
 * formatDuration(61_500) // '1m 1s'
 */
export function formatDuration(durationMs: number): string {
  if (!Number.isFinite(durationMs) || durationMs < 1000) return ''
  const totalSeconds = Math.floor(durationMs / 1000)
  const minutes = Math.floor(totalSeconds / 60)
  const seconds = totalSeconds % 60
  if (minutes === 0) return `${seconds}s`
  return seconds === 0 ? `${minutes}m` : `${minutes}m ${seconds}s`
}
