import { and, eq, inArray, isNotNull, lt, lte, sql } from 'drizzle-orm'
import type { Drizzle, DrizzleTransaction } from '../../kernel/database/index.ts'
import { auditDeliveries, auditWebhooks } from '../schema.ts'
import type { WebhookRow } from './webhooks.ts'

export type DeliveryRow = typeof auditDeliveries.$inferSelect
type DeliveryChange = Partial<Omit<DeliveryRow, 'deliveryId' | 'webhookId' | 'eventId' | 'createdAt'>>

export interface Delivery {
  readonly delivery: DeliveryRow
  readonly hook: WebhookRow
}

export async function findDelivery(db: Drizzle, deliveryId: string): Promise<Delivery | undefined> {
  const [row] = await db
    .select({ delivery: auditDeliveries, hook: auditWebhooks })
    .from(auditDeliveries)
    .innerJoin(auditWebhooks, eq(auditWebhooks.webhookId, auditDeliveries.webhookId))
    .where(eq(auditDeliveries.deliveryId, deliveryId))
  return row
}

/** Takes an attempt from the row exactly as it was read: of two workers that read it, one gets it. */
export async function claimAttempt(db: Drizzle, delivery: DeliveryRow, leasedUntil: Date): Promise<boolean> {
  const claimed = await db
    .update(auditDeliveries)
    .set({ state: 'delivering', attempts: delivery.attempts + 1, nextAttemptAt: leasedUntil })
    .where(
      and(
        eq(auditDeliveries.deliveryId, delivery.deliveryId),
        eq(auditDeliveries.state, delivery.state),
        eq(auditDeliveries.attempts, delivery.attempts),
      ),
    )
    .returning({ deliveryId: auditDeliveries.deliveryId })
  return claimed.length === 1
}

export async function changeDelivery(
  db: Drizzle | DrizzleTransaction,
  deliveryId: string,
  change: DeliveryChange,
): Promise<void> {
  await db.update(auditDeliveries).set(change).where(eq(auditDeliveries.deliveryId, deliveryId))
}

export async function changeHook(
  db: DrizzleTransaction,
  webhookId: string,
  change: Partial<
    Pick<WebhookRow, 'enabled' | 'lastDeliveredAt' | 'lastErrorAt' | 'lastError' | 'slowUntil' | 'slowLevel'>
  >,
): Promise<void> {
  await db.update(auditWebhooks).set(change).where(eq(auditWebhooks.webhookId, webhookId))
}

/**
 * Dead letters of events since then, the oldest first and so many at most, wait again as if they were new. Gives their
 * ids and how many more there are.
 */
export async function reviveDeadLetters(
  db: DrizzleTransaction,
  webhookId: string,
  { since, now, limit }: { since: Date; now: Date; limit: number },
): Promise<{ revived: string[]; remaining: number }> {
  const dead = and(
    eq(auditDeliveries.webhookId, webhookId),
    eq(auditDeliveries.state, 'dead_letter'),
    sql`${auditDeliveries.createdAt} >= ${since}`,
  )
  const oldest = db
    .select({ deliveryId: auditDeliveries.deliveryId })
    .from(auditDeliveries)
    .where(dead)
    .orderBy(auditDeliveries.createdAt)
    .limit(limit)
  const revived = await db
    .update(auditDeliveries)
    .set({ state: 'pending', attempts: 0, nextAttemptAt: now, finishedAt: null, lastStatus: null, lastError: null })
    .where(inArray(auditDeliveries.deliveryId, oldest))
    .returning({ deliveryId: auditDeliveries.deliveryId })
  return { revived: revived.map(({ deliveryId }) => deliveryId), remaining: await db.$count(auditDeliveries, dead) }
}

/** Deliveries whose attempt is overdue: their job was lost. */
export async function listOverdue(db: Drizzle, before: Date, limit: number): Promise<string[]> {
  const rows = await db
    .select({ deliveryId: auditDeliveries.deliveryId })
    .from(auditDeliveries)
    .where(and(isNotNull(auditDeliveries.nextAttemptAt), lte(auditDeliveries.nextAttemptAt, before)))
    .orderBy(auditDeliveries.nextAttemptAt)
    .limit(limit)
  return rows.map(({ deliveryId }) => deliveryId)
}

export async function cleanDeliveries(db: Drizzle, before: Date): Promise<void> {
  await db
    .delete(auditDeliveries)
    .where(and(inArray(auditDeliveries.state, ['delivered', 'dead_letter']), lt(auditDeliveries.finishedAt, before)))
}
