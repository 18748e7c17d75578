import { shorten } from '../issue.ts'

const SHOWN_CHARS = 60

/** Names a value in a message: its type and, for scalars, what was written. */
export function describeValue(value: unknown): string {
  if (value === null || value === undefined) return 'nothing (null)'
  if (typeof value === 'string') return value === '' ? 'an empty string' : `the string ${quote(value)}`
  if (typeof value === 'number' || typeof value === 'bigint') return `the number ${shorten(String(value), SHOWN_CHARS)}`
  if (typeof value === 'boolean') return `the boolean ${value}`
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' ? 'a map' : `a ${typeof value}`
}

export function quote(value: string): string {
  return JSON.stringify(shorten(value, SHOWN_CHARS))
}

/** `a, b or c`, in quotes. */
export function listWords(words: readonly string[]): string {
  const quoted = words.map((word) => JSON.stringify(word))
  if (quoted.length < 2) return quoted.join('')
  return `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`
}

export function listKeys(keys: readonly string[], conjunction: 'and' | 'or'): string {
  const ticked = keys.map((key) => `\`${shorten(key, SHOWN_CHARS)}\``)
  if (ticked.length < 2) return ticked.join('')
  return `${ticked.slice(0, -1).join(', ')} ${conjunction} ${ticked.at(-1)}`
}
