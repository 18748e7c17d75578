/**
 * Readers for values that came over the wire. Each accepts anything and never throws, so that a helper keeps working
 * when a newer server sends a shape this version does not know.
 */

/** True for a plain keyed object: not null, not a list. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The value itself when it is a keyed object, otherwise an empty one. */
export function toRecord(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {}
}

/** The value itself when it is a list, otherwise an empty one. */
export function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** The same list with its element type kept; anything else becomes an empty list. */
export function listOf<T>(value: readonly T[] | null | undefined): readonly T[] {
  return Array.isArray(value) ? value : []
}

/** The value itself when it is a string, otherwise the empty string. */
export function toText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** A string, the empty one included, or undefined. */
export function readString(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** The first candidate that is a non-empty string. */
export function firstText(...candidates: readonly unknown[]): string | undefined {
  for (const candidate of candidates) {
    if (typeof candidate === 'string' && candidate !== '') return candidate
  }
  return undefined
}

/** A finite number, or undefined. */
export function readFinite(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

/** A count or an amount: a finite number above zero, otherwise 0. */
export function toAmount(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0
}

/** Looks a name up as an own key only, so that `constructor` and `__proto__` are names like any other. */
export function lookUp<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined
}
