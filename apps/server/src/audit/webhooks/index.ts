import { z } from 'zod'
import { systemActor } from '../../kernel/actor.ts'
import { defineJob, defineSchedule } from '../../kernel/jobs/index.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { Sealer } from '../seal/sealer.ts'
import { cleanDeliveries, listOverdue } from '../store/deliveries.ts'
import type { WebhookParts } from './change-webhooks.ts'
import { type DeliveryParts, deliverEvent, enqueueAttempt } from './deliver-event.ts'

interface WebhookOptions {
  readonly kernel: Kernel
  readonly sealer: Sealer
  readonly isEntitled: (accountId: string) => Promise<boolean>
  readonly random?: () => number
}

const overdueMs = 120_000
const overduePerRun = 5_000
const keptMs = 30 * 86_400_000

/** The deliveries: their job, and a sweep that brings back those whose job was lost and forgets old ones. */
export function createWebhooks({ kernel, sealer, isEntitled, random = Math.random }: WebhookOptions) {
  const { database, clock } = kernel
  const delivering = defineJob({
    // The database queues it under this name: `svc.queue_audit_event`.
    name: 'audit.deliver',
    payload: z.object({ delivery_id: z.string() }),
    run: ({ delivery_id: deliveryId }, { signal }) => deliverEvent(parts, deliveryId, signal),
  })
  const parts: DeliveryParts = { kernel, sealer, isEntitled, random, job: () => delivering }
  const sweeping = defineJob({
    name: 'audit.sweep-deliveries',
    payload: z.object({}),
    maxAttempts: 3,
    async run() {
      const overdue = await listOverdue(database.db, new Date(clock.nowMs() - overdueMs), overduePerRun)
      for (const deliveryId of overdue) {
        await database.transact(systemActor, (tx) => enqueueAttempt(tx, delivering, deliveryId, clock.now()))
      }
      await cleanDeliveries(database.db, new Date(clock.nowMs() - keptMs))
    },
  })
  const changes: WebhookParts = { kernel, job: delivering }
  return {
    changes,
    deliver: (deliveryId: string) => deliverEvent(parts, deliveryId),
    jobs: [delivering, sweeping],
    schedules: [defineSchedule({ name: 'audit.sweep-deliveries', cron: '* * * * *', job: sweeping, payload: {} })],
  }
}
