import { and, desc, eq } from 'drizzle-orm'
import { sessionPublicShares } from '../schema.ts'
import type { Db } from './sessions.ts'

export type ShareRow = typeof sessionPublicShares.$inferSelect
export type NewShare = typeof sessionPublicShares.$inferInsert

const pageSize = 200

export async function addShare(db: Db, share: NewShare): Promise<ShareRow> {
  const [row] = await db.insert(sessionPublicShares).values(share).returning()
  if (!row) throw new Error('the new share was not written')
  return row
}

export async function listShares(db: Db, sessionId: string): Promise<ShareRow[]> {
  return db
    .select()
    .from(sessionPublicShares)
    .where(eq(sessionPublicShares.sessionId, sessionId))
    .orderBy(desc(sessionPublicShares.createdAt))
    .limit(pageSize)
}

export async function findShareByHash(db: Db, tokenHash: string): Promise<ShareRow | undefined> {
  const [row] = await db.select().from(sessionPublicShares).where(eq(sessionPublicShares.tokenHash, tokenHash))
  return row
}

/** A share that ended stays ended at its first time. */
export async function revokeShare(
  db: Db,
  sessionId: string,
  shareId: string,
  now: Date,
): Promise<ShareRow | undefined> {
  const own = and(eq(sessionPublicShares.shareId, shareId), eq(sessionPublicShares.sessionId, sessionId))
  const [found] = await db.select().from(sessionPublicShares).where(own).for('update')
  if (!found || found.revokedAt !== null) return found
  const [row] = await db.update(sessionPublicShares).set({ revokedAt: now, updatedAt: now }).where(own).returning()
  return row
}
