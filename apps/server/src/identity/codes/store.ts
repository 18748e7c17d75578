import { and, eq, lt, sql } from 'drizzle-orm'
import type { Db } from '../people/store.ts'
import { oneTimeCodes } from '../schema.ts'

export type CodeRow = typeof oneTimeCodes.$inferSelect
export type CodePurpose = CodeRow['purpose']

/** The newest code is the only one that works: it takes the place of an older one. */
export async function putCode(db: Db, code: typeof oneTimeCodes.$inferInsert): Promise<void> {
  await db.delete(oneTimeCodes).where(and(eq(oneTimeCodes.email, code.email), eq(oneTimeCodes.purpose, code.purpose)))
  await db
    .insert(oneTimeCodes)
    .values(code)
    .onConflictDoUpdate({ target: [oneTimeCodes.email, oneTimeCodes.purpose], set: code })
}

/** Whoever asks for the same address waits until this transaction ends. */
export async function lockAddress(db: Db, email: string): Promise<void> {
  await db.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`sign-up of ${email}`}, 0))`)
}

export async function findCodeOf(db: Db, email: string, purpose: CodePurpose): Promise<CodeRow | undefined> {
  const [row] = await db
    .select()
    .from(oneTimeCodes)
    .where(and(eq(oneTimeCodes.email, email), eq(oneTimeCodes.purpose, purpose)))
  return row
}

/** Locked, so that tries at the same time are counted one after the other. */
export async function lockCodeOf(db: Db, email: string, purpose: CodePurpose): Promise<CodeRow | undefined> {
  const [row] = await db
    .select()
    .from(oneTimeCodes)
    .where(and(eq(oneTimeCodes.email, email), eq(oneTimeCodes.purpose, purpose)))
    .for('update')
  return row
}

export async function lockCodeByLink(db: Db, linkHash: string): Promise<CodeRow | undefined> {
  const [row] = await db.select().from(oneTimeCodes).where(eq(oneTimeCodes.linkHash, linkHash)).for('update')
  return row
}

export async function findCodeByLink(db: Db, linkHash: string): Promise<CodeRow | undefined> {
  const [row] = await db.select().from(oneTimeCodes).where(eq(oneTimeCodes.linkHash, linkHash))
  return row
}

export async function countWrongTry(db: Db, codeId: string): Promise<void> {
  await db
    .update(oneTimeCodes)
    .set({ wrongTries: sql`${oneTimeCodes.wrongTries} + 1` })
    .where(eq(oneTimeCodes.codeId, codeId))
}

export async function removeCode(db: Db, codeId: string): Promise<void> {
  await db.delete(oneTimeCodes).where(eq(oneTimeCodes.codeId, codeId))
}

export async function cleanCodes(db: Db, now: Date): Promise<void> {
  await db.delete(oneTimeCodes).where(lt(oneTimeCodes.expiresAt, now))
}
