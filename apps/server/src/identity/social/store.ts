import { and, eq, isNull, lt } from 'drizzle-orm'
import type { Db } from '../people/store.ts'
import { identities, socialSignIns, users } from '../schema.ts'

export type SocialSignIn = typeof socialSignIns.$inferSelect

export async function addSocialSignIn(db: Db, signIn: typeof socialSignIns.$inferInsert): Promise<void> {
  await db.insert(socialSignIns).values(signIn)
}

export async function findOpenSignIn(db: Db, stateHash: string): Promise<SocialSignIn | undefined> {
  const [row] = await db
    .select()
    .from(socialSignIns)
    .where(and(eq(socialSignIns.stateHash, stateHash), isNull(socialSignIns.codeHash)))
  return row
}

/** False when another answer for this sign-in came first. */
export async function answerSignIn(
  db: Db,
  stateHash: string,
  answer: { codeHash: string; userId: string; expiresAt: Date },
): Promise<boolean> {
  const changed = await db
    .update(socialSignIns)
    .set(answer)
    .where(and(eq(socialSignIns.stateHash, stateHash), isNull(socialSignIns.codeHash)))
    .returning({ stateHash: socialSignIns.stateHash })
  return changed.length === 1
}

/** A code is spent by the first who comes with it, right verifier or not. */
export async function takeByCode(db: Db, codeHash: string): Promise<SocialSignIn | undefined> {
  const [row] = await db.delete(socialSignIns).where(eq(socialSignIns.codeHash, codeHash)).returning()
  return row
}

export async function dropSignIn(db: Db, stateHash: string): Promise<void> {
  await db.delete(socialSignIns).where(eq(socialSignIns.stateHash, stateHash))
}

export async function findUserByIdentity(db: Db, provider: string, subject: string) {
  const [row] = await db
    .select({ user: users })
    .from(identities)
    .innerJoin(users, eq(users.userId, identities.userId))
    .where(and(eq(identities.provider, provider), eq(identities.subject, subject)))
  return row?.user
}

export async function putIdentity(db: Db, identity: typeof identities.$inferInsert): Promise<void> {
  const { email, lastSignInAt } = identity
  await db
    .insert(identities)
    .values(identity)
    .onConflictDoUpdate({ target: [identities.provider, identities.subject], set: { email, lastSignInAt } })
}

export async function cleanSocialSignIns(db: Db, now: Date): Promise<void> {
  await db.delete(socialSignIns).where(lt(socialSignIns.expiresAt, now))
}
