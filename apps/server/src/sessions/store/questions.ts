import { and, asc, desc, eq } from 'drizzle-orm'
import type { Sql } from '../../kernel/database/index.ts'
import { sessionQuestions } from '../schema.ts'
import type { Db } from './sessions.ts'

export type QuestionRow = typeof sessionQuestions.$inferSelect

export type AskKind = QuestionRow['kind']

export async function addQuestion(
  db: Db,
  ask: { sessionId: string; requestId: string; kind: AskKind; data: string },
): Promise<void> {
  await db.insert(sessionQuestions).values(ask).onConflictDoNothing()
}

/** Undefined when somebody else was first. */
export async function resolveQuestion(
  db: Db,
  sessionId: string,
  requestId: string,
  state: 'answered' | 'rejected',
  now: Date,
): Promise<QuestionRow | undefined> {
  const [row] = await db
    .update(sessionQuestions)
    .set({ state, resolvedAt: now })
    .where(
      and(
        eq(sessionQuestions.sessionId, sessionId),
        eq(sessionQuestions.requestId, requestId),
        eq(sessionQuestions.state, 'asked'),
      ),
    )
    .returning()
  return row
}

/** Of everything it ever asked. */
export async function listAskIds(db: Db, sessionId: string): Promise<string[]> {
  const rows = await db
    .select({ requestId: sessionQuestions.requestId })
    .from(sessionQuestions)
    .where(eq(sessionQuestions.sessionId, sessionId))
  return rows.map(({ requestId }) => requestId)
}

export async function findAsked(db: Db, sessionId: string): Promise<QuestionRow | undefined> {
  const [row] = await db
    .select()
    .from(sessionQuestions)
    .where(isAsked(sessionId, 'question'))
    .orderBy(desc(sessionQuestions.askedAt))
    .limit(1)
  return row
}

export async function listAskedPermissions(db: Db, sessionId: string): Promise<QuestionRow[]> {
  return db
    .select()
    .from(sessionQuestions)
    .where(isAsked(sessionId, 'permission'))
    .orderBy(asc(sessionQuestions.askedAt))
}

function isAsked(sessionId: string, kind: AskKind) {
  return and(
    eq(sessionQuestions.sessionId, sessionId),
    eq(sessionQuestions.state, 'asked'),
    eq(sessionQuestions.kind, kind),
  )
}

/**
 * What some sessions wait for, by id. A question outlives its turn, since its answer brings the session back; a
 * permission is asked by a turn that still runs, or by nobody any more.
 */
export async function findWaiting(sql: Sql, ids: readonly string[]): Promise<Map<string, AskKind>> {
  if (ids.length === 0) return new Map()
  const rows = await sql<{ id: string; kind: AskKind }[]>`
    select distinct on (ask.session_id) ask.session_id as id, ask.kind
    from svc.session_questions ask
    where ask.session_id = any(${[...ids]}::uuid[]) and ask.state = 'asked' and (ask.kind = 'question' or exists (
      select from svc.session_turns turn where turn.session_id = ask.session_id and turn.state <> 'ended'))
    order by ask.session_id, ask.asked_at desc`
  return new Map(rows.map(({ id, kind }) => [id, kind]))
}

/** A new turn leaves earlier questions behind. */
export async function dropAsked(db: Db, sessionId: string, now: Date): Promise<void> {
  await db
    .update(sessionQuestions)
    .set({ state: 'rejected', resolvedAt: now })
    .where(and(eq(sessionQuestions.sessionId, sessionId), eq(sessionQuestions.state, 'asked')))
}
