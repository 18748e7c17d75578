import { and, desc, eq, lt, sql } from 'drizzle-orm'
import type { Drizzle, DrizzleTransaction } from '../../kernel/database/index.ts'
import { auditWebhooks } from '../schema.ts'

export type WebhookRow = typeof auditWebhooks.$inferSelect
type NewWebhook = typeof auditWebhooks.$inferInsert
type WebhookChange = Partial<Omit<NewWebhook, 'webhookId' | 'accountId' | 'url' | 'createdAt'>>

export const webhooksPerPage = 1_000

/** Newest first: ids sort by the time they were made. One more than a page shows whether there is another. */
export async function listWebhooks(db: Drizzle, accountId: string, before: string | undefined): Promise<WebhookRow[]> {
  const page = before === undefined ? undefined : lt(auditWebhooks.webhookId, before)
  return db
    .select()
    .from(auditWebhooks)
    .where(and(eq(auditWebhooks.accountId, accountId), page))
    .orderBy(desc(auditWebhooks.webhookId))
    .limit(webhooksPerPage + 1)
}

/** Counted under the lock of the account until the transaction ends: of creations at once, each sees those before it. */
export async function countWebhooksLocked(db: DrizzleTransaction, accountId: string): Promise<number> {
  await db.execute(sql`select from svc.accounts where account_id = ${accountId} for no key update`)
  return countWebhooks(db, accountId)
}

export async function countWebhooks(db: Drizzle | DrizzleTransaction, accountId: string): Promise<number> {
  return db.$count(auditWebhooks, eq(auditWebhooks.accountId, accountId))
}

export async function addWebhook(db: DrizzleTransaction, webhook: NewWebhook): Promise<WebhookRow> {
  const [row] = await db.insert(auditWebhooks).values(webhook).returning()
  if (!row) throw new Error('an inserted webhook was not returned')
  return row
}

/** Locked until the transaction ends, so that two changes follow each other. */
export async function lockWebhook(
  db: DrizzleTransaction,
  accountId: string,
  webhookId: string,
): Promise<WebhookRow | undefined> {
  const [row] = await db.select().from(auditWebhooks).where(ofAccount(accountId, webhookId)).for('update')
  return row
}

export async function changeWebhook(
  db: DrizzleTransaction,
  { accountId, webhookId }: WebhookRow,
  change: WebhookChange,
): Promise<WebhookRow> {
  const [row] = await db.update(auditWebhooks).set(change).where(ofAccount(accountId, webhookId)).returning()
  if (!row) throw new Error('a locked webhook was not found')
  return row
}

/** What waits for it goes with it. */
export async function deleteWebhook(db: DrizzleTransaction, { accountId, webhookId }: WebhookRow): Promise<void> {
  await db.delete(auditWebhooks).where(ofAccount(accountId, webhookId))
}

function ofAccount(accountId: string, webhookId: string) {
  return and(eq(auditWebhooks.accountId, accountId), eq(auditWebhooks.webhookId, webhookId))
}
