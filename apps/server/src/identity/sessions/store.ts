import { and, eq, inArray, isNull, lt, ne } from 'drizzle-orm'
import type { Sql } from '../../kernel/database/index.ts'
import type { Db } from '../people/store.ts'
import { refreshTokens, signInSessions, signInTokens } from '../schema.ts'

export type NewSession = typeof signInSessions.$inferInsert
export type RefreshRow = typeof refreshTokens.$inferSelect

export async function addSession(db: Db, session: NewSession): Promise<void> {
  await db.insert(signInSessions).values(session)
}

export async function addSignInToken(db: Db, token: typeof signInTokens.$inferInsert): Promise<void> {
  await db.insert(signInTokens).values(token)
}

export async function addRefreshToken(db: Db, token: typeof refreshTokens.$inferInsert): Promise<void> {
  await db.insert(refreshTokens).values(token)
}

/** A token of a session that has not ended, locked: whoever refreshes with it at the same time waits. */
export async function lockRefreshToken(
  db: Db,
  tokenHash: string,
): Promise<(RefreshRow & { userId: string }) | undefined> {
  const [token] = await db.select().from(refreshTokens).where(eq(refreshTokens.tokenHash, tokenHash)).for('update')
  if (!token) return undefined
  const [session] = await db
    .select({ userId: signInSessions.userId })
    .from(signInSessions)
    .where(and(eq(signInSessions.sessionId, token.sessionId), isNull(signInSessions.endedAt)))
  return session && { ...token, userId: session.userId }
}

export async function findRefreshToken(db: Db, tokenHash: string): Promise<RefreshRow | undefined> {
  const [row] = await db.select().from(refreshTokens).where(eq(refreshTokens.tokenHash, tokenHash))
  return row
}

export async function spendRefreshToken(db: Db, tokenHash: string, nonce: string, now: Date): Promise<void> {
  await db
    .update(refreshTokens)
    .set({ spentAt: now, successorNonce: nonce })
    .where(eq(refreshTokens.tokenHash, tokenHash))
}

export interface SessionFilter {
  readonly userId: string
  readonly only?: string
  readonly except?: string
}

/** The ids of the sessions that ended by this. */
export async function endSessionRows(db: Db, filter: SessionFilter, reason: string, now: Date): Promise<string[]> {
  const ended = await db
    .update(signInSessions)
    .set({ endedAt: now, endReason: reason })
    .where(
      and(
        eq(signInSessions.userId, filter.userId),
        isNull(signInSessions.endedAt),
        filter.only === undefined ? undefined : eq(signInSessions.sessionId, filter.only),
        filter.except === undefined ? undefined : ne(signInSessions.sessionId, filter.except),
      ),
    )
    .returning({ sessionId: signInSessions.sessionId })
  return ended.map(({ sessionId }) => sessionId)
}

export interface SignedInRow {
  readonly sessionId: string
  readonly userId: string
  readonly email: string
  readonly isOperator: boolean
  readonly expiresAt: Date
}

/** Asked for nearly every request, so it is one prepared statement. */
export async function findSignedIn(sql: Sql, tokenHash: string, kind: 'access' | 'page', now: Date) {
  const [row] = await sql<SignedInRow[]>`
    select session.session_id as "sessionId", person.user_id as "userId", person.email,
      person.is_operator as "isOperator", token.expires_at as "expiresAt"
    from svc.sign_in_tokens as token
    join svc.sign_in_sessions as session using (session_id)
    join svc.users as person using (user_id)
    where token.token_hash = ${tokenHash} and token.kind = ${kind} and token.expires_at > ${now}
      and session.ended_at is null`
  return row
}

/** Nothing depends on it but the size of the tables: what it removes no longer opens anything. */
export async function cleanSessions(db: Db, now: Date): Promise<void> {
  const monthAgo = new Date(now.getTime() - 30 * 24 * 3_600_000)
  await db.delete(signInTokens).where(lt(signInTokens.expiresAt, now))
  await db.delete(refreshTokens).where(lt(refreshTokens.expiresAt, now))
  await db.delete(refreshTokens).where(lt(refreshTokens.spentAt, monthAgo))
  const old = await db
    .select({ sessionId: signInSessions.sessionId })
    .from(signInSessions)
    .where(lt(signInSessions.endedAt, monthAgo))
    .limit(10_000)
  if (old.length === 0) return
  const ids = old.map(({ sessionId }) => sessionId)
  await db.delete(signInSessions).where(inArray(signInSessions.sessionId, ids))
}
