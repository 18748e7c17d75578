import { and, asc, count, eq, inArray, lt, sql } from 'drizzle-orm'
import { sessionPrompts } from '../schema.ts'
import type { Db } from './sessions.ts'

export type PromptRow = typeof sessionPrompts.$inferSelect
export type NewPrompt = typeof sessionPrompts.$inferInsert

const waiting: PromptRow['state'][] = ['queued', 'delivering', 'failed']

/** At the end of the queue. Undefined when the session has a prompt of this client id already. */
export async function addPrompt(db: Db, prompt: Omit<NewPrompt, 'position'>): Promise<PromptRow | undefined> {
  const position = sql`(select coalesce(max(position), 0) + 1 from svc.session_prompts where session_id = ${prompt.sessionId})`
  const [row] = await db
    .insert(sessionPrompts)
    .values({ ...prompt, position: position as never })
    .onConflictDoNothing({ target: [sessionPrompts.sessionId, sessionPrompts.clientMessageId] })
    .returning()
  return row
}

export async function findByClientId(
  db: Db,
  sessionId: string,
  clientMessageId: string,
): Promise<PromptRow | undefined> {
  const [row] = await db
    .select()
    .from(sessionPrompts)
    .where(and(eq(sessionPrompts.sessionId, sessionId), eq(sessionPrompts.clientMessageId, clientMessageId)))
  return row
}

/** By its own id, or by the id of its message. Held until the transaction ends. */
export async function lockPrompt(db: Db, sessionId: string, id: string): Promise<PromptRow | undefined> {
  const named = id.startsWith('msg_')
    ? sql`(${sessionPrompts.messageId} = ${id} or ${sessionPrompts.wireMessageId} = ${id})`
    : eq(sessionPrompts.promptId, id)
  const [row] = await db
    .select()
    .from(sessionPrompts)
    .where(and(eq(sessionPrompts.sessionId, sessionId), named))
    .for('update')
  return row
}

/** Not delivered yet, oldest first. */
export async function listWaiting(db: Db, sessionId: string, limit = 200): Promise<PromptRow[]> {
  return db
    .select()
    .from(sessionPrompts)
    .where(and(eq(sessionPrompts.sessionId, sessionId), inArray(sessionPrompts.state, waiting)))
    .orderBy(asc(sessionPrompts.position))
    .limit(limit)
}

export async function countWaiting(db: Db, sessionId: string): Promise<number> {
  const [row] = await db
    .select({ rows: count() })
    .from(sessionPrompts)
    .where(and(eq(sessionPrompts.sessionId, sessionId), inArray(sessionPrompts.state, waiting)))
  return row?.rows ?? 0
}

/** The next to deliver, held until the transaction ends. A failed one blocks nobody behind it. */
export async function lockNext(db: Db, sessionId: string, now: Date): Promise<PromptRow | undefined> {
  const [row] = await db
    .select()
    .from(sessionPrompts)
    .where(
      and(
        eq(sessionPrompts.sessionId, sessionId),
        eq(sessionPrompts.state, 'queued'),
        lt(sessionPrompts.availableAt, new Date(now.getTime() + 1)),
      ),
    )
    .orderBy(asc(sessionPrompts.position))
    .limit(1)
    .for('update')
  return row
}

export async function findDelivering(db: Db, sessionId: string): Promise<PromptRow[]> {
  return db
    .select()
    .from(sessionPrompts)
    .where(and(eq(sessionPrompts.sessionId, sessionId), eq(sessionPrompts.state, 'delivering')))
}

export async function changePrompt(
  db: Db,
  promptId: string,
  change: Partial<NewPrompt>,
): Promise<PromptRow | undefined> {
  const [row] = await db.update(sessionPrompts).set(change).where(eq(sessionPrompts.promptId, promptId)).returning()
  return row
}

export async function moveToFront(db: Db, sessionId: string, promptId: string): Promise<PromptRow | undefined> {
  const front = sql`(select coalesce(min(position), 1) - 1 from svc.session_prompts where session_id = ${sessionId} and state in ('queued', 'failed', 'delivering'))`
  return changePrompt(db, promptId, { state: 'queued', position: front as never, lastError: null })
}

/** Parked sessions of a server that have something to deliver, and whose queue is not held. */
export async function listAwaited(db: Db, nodeId: string): Promise<string[]> {
  const { rows } = await db.execute<{ session_id: string }>(sql`
    select distinct session.session_id from svc.session_prompts prompt join svc.sessions session using (session_id)
    where prompt.state in ('queued', 'delivering') and session.status = 'stopped' and not session.queue_held
      and session.deleted_at is null and (session.node_id is null or session.node_id = ${nodeId})`)
  return rows.map(({ session_id }) => session_id)
}

export async function hasQueued(db: Db, sessionId: string): Promise<boolean> {
  const [row] = await db
    .select({ promptId: sessionPrompts.promptId })
    .from(sessionPrompts)
    .where(and(eq(sessionPrompts.sessionId, sessionId), inArray(sessionPrompts.state, ['queued', 'delivering'])))
    .limit(1)
  return row !== undefined
}
