import { and, asc, eq, gt, sql } from 'drizzle-orm'
import type { Sql } from '../../kernel/database/index.ts'
import type { RuntimeEvent } from '../../runtimes/index.ts'
import { sessionEvents, sessionLogs } from '../schema.ts'
import type { Db } from './sessions.ts'

export interface LoggedEvent extends RuntimeEvent {
  readonly seq: number
}

export interface LogHead {
  readonly lastSeq: number
  readonly firstSeq: number
  readonly storedSeq: number
}

/** Numbers and stores events, whoever else appends at the same time: no number is skipped or given twice. */
export async function appendEvents(db: Db, sessionId: string, events: readonly RuntimeEvent[]): Promise<number> {
  const lines = events.map(({ type, properties }) => JSON.stringify({ type, properties }))
  const { rows } = await db.execute<{ last_seq: string }>(sql`
    with head as (
      insert into svc.session_logs (session_id, last_seq) values (${sessionId}::uuid, ${lines.length})
      on conflict (session_id) do update set last_seq = session_logs.last_seq + ${lines.length} returning last_seq
    ), added as (
      insert into svc.session_events (session_id, seq, data)
      select ${sessionId}::uuid, head.last_seq - ${lines.length} + line.place, line.data
      from head, json_array_elements_text(${JSON.stringify(lines)}::json) with ordinality as line (data, place)
    )
    select last_seq from head`)
  return Number(rows[0]?.last_seq ?? 0)
}

export async function readHead(db: Db, sessionId: string): Promise<LogHead> {
  const [row] = await db.select().from(sessionLogs).where(eq(sessionLogs.sessionId, sessionId))
  return row ?? { lastSeq: 0, firstSeq: 1, storedSeq: 0 }
}

/** The same, held until the transaction ends. */
export async function lockHead(db: Db, sessionId: string): Promise<LogHead | undefined> {
  const [row] = await db.select().from(sessionLogs).where(eq(sessionLogs.sessionId, sessionId)).for('update')
  return row
}

export async function readLogPage(db: Db, sessionId: string, after: number, limit: number): Promise<LoggedEvent[]> {
  const rows = await db
    .select({ seq: sessionEvents.seq, data: sessionEvents.data })
    .from(sessionEvents)
    .where(and(eq(sessionEvents.sessionId, sessionId), gt(sessionEvents.seq, after)))
    .orderBy(asc(sessionEvents.seq))
    .limit(limit)
  return rows.map(({ seq, data }) => ({ seq, ...(JSON.parse(data) as RuntimeEvent) }))
}

export async function noteStored(db: Db, sessionId: string, storedSeq: number): Promise<void> {
  await db.update(sessionLogs).set({ storedSeq }).where(eq(sessionLogs.sessionId, sessionId))
}

/** Sessions whose messages lag behind their log: a process died between the two. */
export async function listUnstored(sql: Sql, limit = 1000): Promise<string[]> {
  const rows = await sql<{ sessionId: string }[]>`
    select session_id as "sessionId" from svc.session_logs where stored_seq < last_seq limit ${limit}`
  return rows.map(({ sessionId }) => sessionId)
}

/**
 * Deletes the oldest events of every log that is longer than `keepEvents`, and those older than `olderThan`, as far as
 * messages hold what they said.
 */
export async function trimLogs(sql: Sql, { keepEvents, olderThan }: { keepEvents: number; olderThan: Date }) {
  const trimmed = await sql<{ sessionId: string }[]>`
    with aged as (
      select session_id, max(seq) as seq from svc.session_events where created_at < ${olderThan} group by session_id
    ), cut as (
      select log.session_id, least(log.stored_seq, greatest(log.last_seq - ${keepEvents}, coalesce(aged.seq, 0))) as seq
      from svc.session_logs log left join aged using (session_id)
    ), moved as (
      update svc.session_logs log set first_seq = cut.seq + 1 from cut
      where cut.session_id = log.session_id and cut.seq >= log.first_seq returning log.session_id, cut.seq
    ), gone as (
      delete from svc.session_events event using moved
      where event.session_id = moved.session_id and event.seq <= moved.seq
    )
    select session_id as "sessionId" from moved`
  return { trimmed: trimmed.length }
}
