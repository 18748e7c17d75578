import { and, desc, eq, lt, ne } from 'drizzle-orm'
import type { Drizzle, DrizzleTransaction } from '../kernel/database/index.ts'
import { mails } from './schema.ts'

export type MailRow = typeof mails.$inferSelect

export async function addMail(db: DrizzleTransaction, mail: typeof mails.$inferInsert): Promise<void> {
  await db.insert(mails).values(mail)
}

export async function findMail(db: Drizzle, mailId: string): Promise<MailRow | undefined> {
  const [row] = await db.select().from(mails).where(eq(mails.mailId, mailId))
  return row
}

export async function keepMail(db: Drizzle, mailId: string): Promise<void> {
  await db.update(mails).set({ status: 'kept' }).where(eq(mails.mailId, mailId))
}

export async function deleteMail(db: Drizzle, mailId: string): Promise<void> {
  await db.delete(mails).where(eq(mails.mailId, mailId))
}

/** Newest first; never one that leads nowhere. */
export async function listMails(db: Drizzle, limit: number): Promise<MailRow[]> {
  return db.select().from(mails).where(eq(mails.isDecoy, false)).orderBy(desc(mails.mailId)).limit(limit)
}

export async function cleanMails(db: Drizzle, before: Date): Promise<void> {
  await db.delete(mails).where(and(ne(mails.status, 'queued'), lt(mails.createdAt, before)))
}
