import { type ExtractTablesWithRelations, eq } from 'drizzle-orm'
import type { NodePgQueryResultHKT } from 'drizzle-orm/node-postgres'
import type { PgDatabase } from 'drizzle-orm/pg-core'
import { newId } from '../../kernel/ids/index.ts'
import { users } from '../schema.ts'

type Empty = Record<string, never>
/** A connection or a transaction: reads and writes are the same on both. */
export type Db = PgDatabase<NodePgQueryResultHKT, Empty, ExtractTablesWithRelations<Empty>>

export type User = typeof users.$inferSelect
export type NewUser = Pick<typeof users.$inferInsert, 'email'> & Partial<Omit<typeof users.$inferInsert, 'userId'>>

export async function findUserByEmail(db: Db, email: string): Promise<User | undefined> {
  const [user] = await db.select().from(users).where(eq(users.email, email))
  return user
}

export async function findUser(db: Db, userId: string): Promise<User | undefined> {
  const [user] = await db.select().from(users).where(eq(users.userId, userId))
  return user
}

/** Nobody changes this person before the transaction ends. */
export async function lockUser(db: Db, userId: string): Promise<User | undefined> {
  const [user] = await db.select().from(users).where(eq(users.userId, userId)).for('update')
  return user
}

/** Undefined when somebody else has this address already. */
export async function addUser(db: Db, user: NewUser): Promise<User | undefined> {
  const [added] = await db
    .insert(users)
    .values({ ...user, userId: newId() })
    .onConflictDoNothing()
    .returning()
  return added
}

type Change = Partial<Omit<typeof users.$inferInsert, 'userId' | 'email'>>

export async function changeUser(db: Db, userId: string, change: Change, now: Date): Promise<User> {
  const [user] = await db
    .update(users)
    .set({ ...change, updatedAt: now })
    .where(eq(users.userId, userId))
    .returning()
  if (!user) throw new Error(`the user ${userId} is gone`)
  return user
}
