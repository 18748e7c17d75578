import { type AuditParts, settleChain } from '../parts.ts'
import { findScanEnd, listEvents } from '../store/events.ts'
import { readCursor, writeCursor } from './cursor.ts'
import { type LogQuery, readFilters } from './filters.ts'

const defaultLimit = 50

/**
 * One page of a chain, newest first. A search (`q`) may end a page early, with a cursor to go on from: it reads a bounded
 * part of the log at a time.
 */
export async function readLog(parts: AuditParts, chainId: string, query: LogQuery, scanLimit?: number) {
  const { sql } = parts.kernel.database
  const filters = readFilters(query)
  const after = readCursor(query.cursor)
  const limit = query.limit ?? defaultLimit
  await settleChain(parts, chainId)
  const found = await listEvents(sql, chainId, filters, { after, limit: limit + 1 }, scanLimit)
  const events = found.slice(0, limit)
  if (found.length > limit) return { events, next_cursor: writeNext(events.at(-1)) }
  const scanEnd = filters.q === undefined ? undefined : await findScanEnd(sql, chainId, filters, after, scanLimit)
  return { events, next_cursor: writeNext(scanEnd) }
}

function writeNext(last: Parameters<typeof writeCursor>[0] | undefined): string | null {
  return last ? writeCursor(last) : null
}
