import type { operations, QueryOf } from '@svc/contract'
import { invalid } from '../../kernel/http/index.ts'
import { isStorableInstant } from './cursor.ts'

export type LogQuery = QueryOf<typeof operations.audit.log>

export type Filters = Omit<LogQuery, 'cursor' | 'limit' | 'since' | 'until'> & {
  readonly since?: string | undefined
  readonly until?: string | undefined
}

/** Instants as the store compares them: UTC, milliseconds. What cannot be compared exactly is refused, not widened. */
export function readFilters(query: LogQuery): Filters {
  const { cursor: _cursor, limit: _limit, since, until, ...rest } = query
  return {
    ...rest,
    ...(since === undefined ? {} : { since: toStored('since', since, 'up') }),
    ...(until === undefined ? {} : { until: toStored('until', until, 'down') }),
  }
}

export function isUnfiltered(filters: Filters): boolean {
  return Object.values(filters).every((value) => value === undefined)
}

/** Events are kept to the millisecond: an instant between two of them lies after the one and before the other. */
function toStored(path: string, instant: string, rounding: 'up' | 'down'): string {
  const floorMs = Date.parse(instant)
  const isBetween = /\.\d{3}\d*[1-9]/.test(instant)
  const ms = isBetween && rounding === 'up' ? floorMs + 1 : floorMs
  const iso = Number.isNaN(ms) ? '' : new Date(ms).toISOString()
  if (iso !== '' && isStorableInstant(iso) && iso.length === 24) return iso
  throw invalid([{ path, message: 'must be an instant between the years 1 and 9999, with a time zone' }])
}
