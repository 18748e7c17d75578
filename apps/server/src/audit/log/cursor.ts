import { invalid } from '../../kernel/http/index.ts'
import { isUuid } from '../../kernel/ids/index.ts'

/** The last event a reader has seen. Opaque to clients: `<occurred_at>|<event_id>`. */
export interface Position {
  readonly occurredAt: string
  readonly eventId: string
}

export function writeCursor({ occurred_at, event_id }: { occurred_at: string; event_id: string }): string {
  return `${occurred_at}|${event_id}`
}

const exactInstant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

export function readCursor(cursor: string | undefined): Position | undefined {
  if (cursor === undefined) return undefined
  const [occurredAt = '', eventId = '', ...rest] = cursor.split('|')
  const isInstant = exactInstant.test(occurredAt) && !Number.isNaN(Date.parse(occurredAt))
  if (isInstant && isUuid(eventId) && rest.length === 0 && isStorableInstant(occurredAt)) return { occurredAt, eventId }
  throw refuseCursor()
}

export function refuseCursor() {
  return invalid([{ path: 'cursor', message: 'must be a cursor that an earlier page gave' }])
}

/** PostgreSQL has no year 0. */
export function isStorableInstant(iso: string): boolean {
  return new Date(iso).getUTCFullYear() > 0
}
