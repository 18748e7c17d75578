import { answer, invalid } from '../kernel/http/index.ts'
import { isUuid } from '../kernel/ids/index.ts'

/** A list without a limit of its own returns at most this many rows. */
export const pageSize = 1000

/** Lists ordered by an id that rises with time continue after an id. */
export function readIdCursor(cursor: string | undefined): string | undefined {
  if (cursor === undefined || isUuid(cursor)) return cursor
  throw invalid([{ path: 'cursor', message: 'must be the value of an earlier X-Next-Cursor header' }])
}

/** Rows were read with one more than fits, which tells whether there is a next page. */
export function answerRows<Row, Item>(rows: readonly Row[], idOf: (row: Row) => string, toItem: (row: Row) => Item) {
  const shown = rows.slice(0, pageSize)
  const last = rows.length > pageSize ? shown.at(-1) : undefined
  return answer(shown.map(toItem), last === undefined ? {} : { headers: { 'x-next-cursor': idOf(last) } })
}
