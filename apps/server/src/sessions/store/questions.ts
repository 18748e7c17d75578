import { and, desc, eq } from 'drizzle-orm'
import { sessionQuestions } from '../schema.ts'
import type { Db } from './sessions.ts'

export type QuestionRow = typeof sessionQuestions.$inferSelect

export async function addQuestion(db: Db, sessionId: string, requestId: string, data: string): Promise<void> {
  await db.insert(sessionQuestions).values({ sessionId, requestId, data }).onConflictDoNothing()
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

export async function listQuestionIds(db: Db, sessionId: string): Promise<string[]> {
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
    .where(and(eq(sessionQuestions.sessionId, sessionId), eq(sessionQuestions.state, 'asked')))
    .orderBy(desc(sessionQuestions.askedAt))
    .limit(1)
  return row
}

/** A new turn leaves earlier questions behind. */
export async function dropAsked(db: Db, sessionId: string, now: Date): Promise<void> {
  await db
    .update(sessionQuestions)
    .set({ state: 'rejected', resolvedAt: now })
    .where(and(eq(sessionQuestions.sessionId, sessionId), eq(sessionQuestions.state, 'asked')))
}
