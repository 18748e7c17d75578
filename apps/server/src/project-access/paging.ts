import { answer, invalid } from '../kernel/http/index.ts'
import { isUuid } from '../kernel/ids/index.ts'

/** A list without a limit of its own returns at most this many rows. */
export const pageSize = 1000

export function readIdCursor(cursor: string | undefined): string | undefined {
  if (cursor === undefined || isUuid(cursor)) return cursor
  throw badCursor()
}

export const badCursor = () =>
  invalid([{ path: 'cursor', message: 'must be the value of an earlier X-Next-Cursor header' }])

/** Rows were read with one more than fits, which tells whether there is a next page. */
export function answerPage<Row, Body>(
  rows: readonly Row[],
  cursorOf: (row: Row) => string,
  toBody: (rows: readonly Row[]) => Body,
) {
  const shown = rows.slice(0, pageSize)
  const last = rows.length > pageSize ? shown.at(-1) : undefined
  return answer(toBody(shown), last === undefined ? {} : { headers: { 'x-next-cursor': cursorOf(last) } })
}
