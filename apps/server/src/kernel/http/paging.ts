import { isUuid } from '../ids/index.ts'
import { type Answer, answer } from './answer.ts'
import { invalid } from './parse-input.ts'
import type { Problem } from './problem.ts'

/** A list without a limit of its own returns at most this many rows. */
export const pageSize = 1000

/** Rows were read with one more than fits, which tells whether there is a next page. */
export function answerPage<Row, Body>(
  rows: readonly Row[],
  cursorOf: (row: Row) => string,
  toBody: (rows: readonly Row[]) => Body,
): Answer<Body> {
  const shown = rows.slice(0, pageSize)
  const last = rows.length > pageSize ? shown.at(-1) : undefined
  return answer(toBody(shown), last === undefined ? {} : { headers: { 'x-next-cursor': cursorOf(last) } })
}

/** Lists ordered by an id that rises with time continue after an id. */
export function readIdCursor(cursor: string | undefined): string | undefined {
  if (cursor === undefined || isUuid(cursor)) return cursor
  throw badCursor()
}

/** A position in a list with other sort keys: those of its last row. Opaque to callers. */
export function encodeCursor(keys: readonly string[]): string {
  return Buffer.from(JSON.stringify(keys)).toString('base64url')
}

type KeyKind = 'time' | 'uuid' | 'text'

/** The sort keys of a cursor, of these kinds. What somebody made up is refused before it reaches a query. */
export function decodeCursor(cursor: string | undefined, kinds: readonly KeyKind[]): string[] | undefined {
  if (cursor === undefined) return undefined
  const keys = parseKeys(cursor)
  if (keys.length === kinds.length && keys.every((key, index) => isKey(key, kinds[index]))) return keys.map(String)
  throw badCursor()
}

export function badCursor(): Problem {
  return invalid([{ path: 'cursor', message: 'must be the value of an earlier X-Next-Cursor header' }])
}

function isKey(key: unknown, kind: KeyKind | undefined): boolean {
  if (typeof key !== 'string' || key.length > 512 || key.includes('\0')) return false
  if (kind === 'uuid') return isUuid(key)
  return kind === 'text' || (/^\d{4}-\d\d-\d\d \d\d:/.test(key) && !Number.isNaN(Date.parse(key)))
}

function parseKeys(cursor: string): unknown[] {
  try {
    const keys: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    return Array.isArray(keys) ? keys : []
  } catch {
    // Not one of ours; the caller answers with what it expects.
    return []
  }
}
