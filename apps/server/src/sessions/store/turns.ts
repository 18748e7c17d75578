import { and, desc, eq, gte, ne } from 'drizzle-orm'
import { sessionTurns } from '../schema.ts'
import type { Db } from './sessions.ts'

export type TurnRow = typeof sessionTurns.$inferSelect
export type EndReason = NonNullable<TurnRow['endReason']>

/** Undefined when a turn is open already: a session has one at a time. */
export async function addTurn(db: Db, turn: typeof sessionTurns.$inferInsert): Promise<TurnRow | undefined> {
  const [row] = await db.insert(sessionTurns).values(turn).onConflictDoNothing().returning()
  return row
}

export async function findOpenTurn(db: Db, sessionId: string): Promise<TurnRow | undefined> {
  const [row] = await db
    .select()
    .from(sessionTurns)
    .where(and(eq(sessionTurns.sessionId, sessionId), ne(sessionTurns.state, 'ended')))
  return row
}

/** Whether a turn other than the given one has begun at this time or after it. */
export async function hasTurnSince(db: Db, sessionId: string, since: Date, except?: string): Promise<boolean> {
  const others = except === undefined ? undefined : ne(sessionTurns.turnToken, except)
  const [row] = await db
    .select({ turnToken: sessionTurns.turnToken })
    .from(sessionTurns)
    .where(and(eq(sessionTurns.sessionId, sessionId), gte(sessionTurns.startedAt, since), others))
    .limit(1)
  return row !== undefined
}

export async function findLastEnded(db: Db, sessionId: string): Promise<TurnRow | undefined> {
  const [row] = await db
    .select()
    .from(sessionTurns)
    .where(and(eq(sessionTurns.sessionId, sessionId), eq(sessionTurns.state, 'ended')))
    .orderBy(desc(sessionTurns.endedAt))
    .limit(1)
  return row
}

/** Only an open turn; of two who end it, one does. */
export async function moveTurn(
  db: Db,
  turnToken: string,
  change: Partial<typeof sessionTurns.$inferInsert>,
): Promise<TurnRow | undefined> {
  const [row] = await db
    .update(sessionTurns)
    .set(change)
    .where(and(eq(sessionTurns.turnToken, turnToken), ne(sessionTurns.state, 'ended')))
    .returning()
  return row
}

export async function listOpenTurns(db: Db): Promise<TurnRow[]> {
  return db.select().from(sessionTurns).where(ne(sessionTurns.state, 'ended'))
}
