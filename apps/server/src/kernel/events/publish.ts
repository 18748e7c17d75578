import { sql as statement } from 'drizzle-orm'
import type { Sql } from 'postgres'
import type { PublishedEvent, Publisher } from '../database/index.ts'
import { newId } from '../ids/index.ts'

export const CHANNEL = 'svc_events'

/** NOTIFY carries less than 8000 bytes; the rest of them is left for PostgreSQL's own. */
const MAX_NOTIFY_BYTES = 7_900

/**
 * What travels. The id keeps two equal events of one transaction apart, which PostgreSQL would merge.
 * A payload that does not fit stands in `svc.event_payloads` under the event's id.
 */
export type Notice = { id: string; topic: string } & ({ payload: unknown } | { stored: true })

interface Prepared {
  notice: string
  stored: { id: string; payload: string } | undefined
}

/** Sends when the transaction commits, and not at all when it rolls back. For `database.usePublisher`. */
export const publishInTransaction: Publisher = async (tx, event) => {
  const { notice, stored } = prepare(event)
  if (stored) {
    await tx.db.execute(
      statement`insert into svc.event_payloads (id, payload) values (${stored.id}::uuid, ${stored.payload})`,
    )
  }
  await tx.db.execute(statement`select pg_notify(${CHANNEL}, ${notice})`)
}

/** Sends at once, outside any transaction. */
export async function publishNow(sql: Sql, event: PublishedEvent): Promise<void> {
  const { notice, stored } = prepare(event)
  if (stored) await sql`insert into svc.event_payloads (id, payload) values (${stored.id}, ${stored.payload})`
  await sql`select pg_notify(${CHANNEL}, ${notice})`
}

function prepare({ topic, payload }: PublishedEvent): Prepared {
  const id = newId()
  const whole = JSON.stringify({ id, topic, payload: payload ?? null })
  if (Buffer.byteLength(whole) <= MAX_NOTIFY_BYTES) return { notice: whole, stored: undefined }
  return {
    notice: JSON.stringify({ id, topic, stored: true }),
    stored: { id, payload: JSON.stringify(payload ?? null) },
  }
}

export function readNotice(text: string): Notice | undefined {
  const notice: unknown = JSON.parse(text)
  return isNotice(notice) ? notice : undefined
}

function isNotice(value: unknown): value is Notice {
  if (typeof value !== 'object' || value === null) return false
  if (!('id' in value) || !('topic' in value) || !('payload' in value || 'stored' in value)) return false
  return typeof value.id === 'string' && typeof value.topic === 'string'
}

/** Deletes payloads that every live listener has read long ago. */
export async function cleanEventPayloads(sql: Sql, olderThanMs = 60 * 60_000): Promise<{ deleted: number }> {
  const result = await sql`
    delete from svc.event_payloads where created_at < now() - ${olderThanMs}::float8 * interval '1 millisecond'`
  return { deleted: result.count }
}
