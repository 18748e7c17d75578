import { systemActor } from '../../kernel/actor.ts'
import type { EnqueuableJob, Tx } from '../../kernel/database/index.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { Sealer } from '../seal/sealer.ts'
import {
  changeDelivery,
  changeHook,
  claimAttempt,
  type Delivery,
  type DeliveryRow,
  findDelivery,
} from '../store/deliveries.ts'
import { findSealedEvent } from '../store/events.ts'
import type { WebhookRow } from '../store/webhooks.ts'
import { asksToSlowDown, type Chance, planSlowMs, planWaitMs } from './retry-plan.ts'
import { type Sent, sendEvent } from './send-event.ts'
import { openSecrets } from './webhook-secret.ts'

export interface DeliveryParts {
  readonly kernel: Pick<Kernel, 'database' | 'clock' | 'envelope' | 'outbound' | 'log'>
  readonly sealer: Sealer
  readonly isEntitled: (accountId: string) => Promise<boolean>
  readonly random: Chance
  /** The job that delivers; each attempt of a delivery is one run of it. */
  readonly job: () => EnqueuableJob<{ delivery_id: string }>
}

/** An attempt that is not finished by then was lost with its node. Longer than an attempt may take. */
const leaseMs = 60_000
/** Clocks of two machines differ a little; an attempt this early is on time. */
const toleranceMs = 2_000
/** What piled up while a receiver was slow does not come back all at once. */
const spreadMs = 30_000

/** One attempt of one delivery. At least once: after a crash between sending and writing down, it is sent again. */
export async function deliverEvent(parts: DeliveryParts, deliveryId: string, signal?: AbortSignal): Promise<void> {
  const { database, clock, envelope, outbound } = parts.kernel
  const found = await findDelivery(database.db, deliveryId)
  if (!found?.delivery.nextAttemptAt) return
  const { delivery, hook } = found
  const now = clock.now()

  if (!hook.enabled) return buryUnsent(parts, found, 'The webhook is disabled.')
  if (!(await parts.isEntitled(hook.accountId))) return buryUnsent(parts, found, 'The plan no longer includes this.')
  const waitUntil = notBefore(parts, found)
  if (waitUntil) return postpone(parts, delivery, waitUntil)

  if (!(await claimAttempt(database.db, delivery, new Date(now.getTime() + leaseMs)))) return
  await parts.sealer.sealChain(hook.accountId)
  const event = await findSealedEvent(database.sql, delivery.eventId)
  if (!event) return buryUnsent(parts, found, 'The event is not in the log.')
  const sent = await sendEvent(outbound, {
    url: hook.url,
    deliveryId,
    secrets: await openSecrets(envelope, hook, now),
    event,
    nowMs: now.getTime(),
    ...(signal ? { signal } : {}),
  })
  await writeDown(parts, { delivery: { ...delivery, attempts: delivery.attempts + 1 }, hook }, sent)
}

/** When this run came too early: before its own time, or while the receiver is to be left alone. */
function notBefore({ kernel, random }: DeliveryParts, { delivery, hook }: Delivery): Date | undefined {
  const nowMs = kernel.clock.nowMs()
  const dueMs = delivery.state === 'pending' ? 0 : (delivery.nextAttemptAt?.getTime() ?? 0)
  if (dueMs > nowMs + toleranceMs) return new Date(dueMs)
  const slowMs = hook.slowUntil?.getTime() ?? 0
  return slowMs > nowMs ? new Date(slowMs + Math.round(spreadMs * random())) : undefined
}

async function postpone(
  { kernel, job }: DeliveryParts,
  { deliveryId, state }: DeliveryRow,
  until: Date,
): Promise<void> {
  await kernel.database.transact(systemActor, async (tx) => {
    if (state !== 'delivering') await changeDelivery(tx.db, deliveryId, { state: 'retry', nextAttemptAt: until })
    await enqueueAttempt(tx, job(), deliveryId, until)
  })
}

async function writeDown(parts: DeliveryParts, { delivery, hook }: Delivery, sent: Sent): Promise<void> {
  const { database, clock } = parts.kernel
  const now = clock.now()
  const { deliveryId, attempts } = delivery
  const seen = { lastStatus: sent.status ?? null, lastError: sent.error ?? null }
  await database.transact(systemActor, async (tx) => {
    if (sent.ok) {
      await changeDelivery(tx.db, deliveryId, { ...seen, state: 'delivered', nextAttemptAt: null, finishedAt: now })
      await changeHook(tx.db, hook.webhookId, { lastDeliveredAt: now, slowUntil: null, slowLevel: 0 })
      return
    }
    await changeHook(tx.db, hook.webhookId, {
      lastErrorAt: now,
      lastError: sent.error ?? null,
      ...slowDown(hook, sent, now),
      ...(sent.status === 410 ? { enabled: false } : {}),
    })
    if (sent.status === 410) await recordGone(tx, hook)
    const waitMs = sent.status === 410 ? undefined : planWaitMs(attempts, sent.retryAfterMs, parts.random)
    if (waitMs === undefined) {
      await changeDelivery(tx.db, deliveryId, { ...seen, state: 'dead_letter', nextAttemptAt: null, finishedAt: now })
      return
    }
    const nextAttemptAt = new Date(now.getTime() + waitMs)
    await changeDelivery(tx.db, deliveryId, { ...seen, state: 'retry', nextAttemptAt })
    await enqueueAttempt(tx, parts.job(), deliveryId, nextAttemptAt)
  })
}

function slowDown(
  hook: WebhookRow,
  { status, retryAfterMs }: Sent,
  now: Date,
): { slowUntil?: Date; slowLevel?: number } {
  if (!asksToSlowDown(status)) return {}
  const slowUntil = new Date(now.getTime() + planSlowMs(hook.slowLevel, retryAfterMs))
  return { slowUntil, slowLevel: hook.slowLevel + 1 }
}

async function recordGone(tx: Tx, { accountId, webhookId }: WebhookRow): Promise<void> {
  await tx.audit({
    action: 'iam.audit.webhook.update',
    accountId,
    resourceType: 'audit_webhook',
    resourceId: webhookId,
    before: { enabled: true },
    after: { enabled: false },
    metadata: { reason: 'the receiver answered 410' },
  })
}

/** It becomes a dead letter without an attempt; a replay brings it back. */
async function buryUnsent({ kernel }: DeliveryParts, { delivery }: Delivery, lastError: string): Promise<void> {
  const change = { state: 'dead_letter', nextAttemptAt: null, finishedAt: kernel.clock.now(), lastError }
  await changeDelivery(kernel.database.db, delivery.deliveryId, change)
}

/** One waiting run per delivery: the key is the one the database queues the first attempt under. */
export async function enqueueAttempt(
  tx: Tx,
  job: EnqueuableJob<{ delivery_id: string }>,
  deliveryId: string,
  runAt: Date,
): Promise<void> {
  await tx.enqueue(job, { delivery_id: deliveryId }, { key: `audit.deliver:${deliveryId}`, runAt })
}
