import { type AuditParts, settleChain } from '../parts.ts'
import { listEvents } from '../store/events.ts'
import { readCursor, writeCursor } from './cursor.ts'
import { type LogQuery, readFilters } from './filters.ts'

const defaultLimit = 50

/** One page of a chain, newest first. */
export async function readLog(parts: AuditParts, chainId: string, query: LogQuery) {
  const filters = readFilters(query)
  const after = readCursor(query.cursor)
  const limit = query.limit ?? defaultLimit
  await settleChain(parts, chainId)
  const found = await listEvents(parts.kernel.database.sql, chainId, filters, { after, limit: limit + 1 })
  const events = found.slice(0, limit)
  const last = events.at(-1)
  return { events, next_cursor: found.length > limit && last ? writeCursor(last) : null }
}
