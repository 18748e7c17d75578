/** What `enabled` says; true when absent, undefined when it says nothing that can be understood. */
export function readEnabled(value: unknown): boolean | undefined {
  if (value === undefined) return true
  if (typeof value === 'boolean') return value
  if (typeof value === 'number') return Number.isFinite(value) ? value !== 0 : undefined
  if (typeof value !== 'string') return undefined
  const word = value.toLowerCase()
  if (['true', '1', 'yes', 'on'].includes(word)) return true
  return ['false', '0', 'no', 'off'].includes(word) ? false : undefined
}
