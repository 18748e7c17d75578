/**
 * Readers for values that came over the wire. Each accepts anything and never throws, so that a helper keeps working
 * when a newer server sends a shape this version does not know.
 */

/** The fields that have a value; those that may be undefined become optional. */
type Defined<T> = {
  [Name in keyof T as undefined extends T[Name] ? never : Name]: T[Name]
} & {
  [Name in keyof T as undefined extends T[Name] ? Name : never]?: Exclude<T[Name], undefined>
}

/** True for a plain keyed object: not null, not a list. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The value itself when it is a keyed object, otherwise an empty one. */
export function toRecord(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {}
}

/** The value itself when it is a list, its element type kept; otherwise an empty one. */
export function toList<T>(value: readonly T[] | null | undefined): readonly T[]
export function toList(value: unknown): readonly unknown[]
export function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** A string, the empty one included, or undefined. */
export function readString(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** The value itself when it is a string, otherwise the empty string. */
export function toText(value: unknown): string {
  return readString(value) ?? ''
}

/** The first candidate that is a non-empty string. */
export function firstText(...candidates: readonly unknown[]): string | undefined {
  return readString(candidates.find(toText))
}

/** A finite number, or undefined. */
export function readFinite(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

/** A count or an amount: a finite number above zero, otherwise 0. */
export function toAmount(value: unknown): number {
  return Math.max(0, readFinite(value) ?? 0)
}

/** A copy without the fields that are undefined. */
export function dropUndefined<T extends object>(fields: T): Defined<T> {
  const kept = Object.entries(fields).filter(([, value]) => value !== undefined)
  // The entries are those of `fields`; that is all the type says.
  return Object.fromEntries(kept) as Defined<T>
}

/** What the last entry says that says anything. It stops there, so that a long list costs no more than its end. */
export function findNewest<T, R>(list: readonly T[], read: (entry: T) => R | undefined): R | undefined {
  for (let at = list.length - 1; at >= 0; at--) {
    const entry = list[at]
    const found = entry === undefined ? undefined : read(entry)
    if (found !== undefined) return found
  }
  return undefined
}
