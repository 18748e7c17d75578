import { createFakeClock } from '../../kernel/clock/index.ts'
import { createEnvelope, loadMasterKeys } from '../../kernel/crypto/index.ts'
import { createTestDatabase } from '../../kernel/database/testing.ts'
import { newId } from '../../kernel/ids/index.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { createLogger, createMemoryWriter } from '../../kernel/log/index.ts'
import { createOutbound } from '../../kernel/outbound/index.ts'
import { createSealer } from '../seal/sealer.ts'
import { createWebhooks } from '../webhooks/index.ts'

/** The webhooks on a database of their own, with a clock that stands still; no job runs unless the test says so. */
export async function startTestWebhooks(options: { random?: () => number; allowPrivate?: readonly string[] } = {}) {
  const database = await createTestDatabase()
  const clock = createFakeClock(Date.now())
  const masterKeys = await loadMasterKeys({ dataDir: '.', environmentValue: Buffer.alloc(32, 7).toString('base64') })
  const outbound = createOutbound({ allowPrivate: options.allowPrivate ?? ['127.0.0.1'] })
  const kernel = partialKernel({
    database,
    clock,
    outbound,
    envelope: createEnvelope({ sql: database.sql, masterKeys, clock }),
    log: createLogger({ writer: createMemoryWriter() }),
  })
  const entitlement = { has: true }
  const webhooks = createWebhooks({
    kernel,
    sealer: createSealer(database),
    isEntitled: async () => entitlement.has,
    random: options.random ?? (() => 0.5),
  })
  const accountId = newId()
  await database.sql`insert into svc.accounts (account_id, name) values (${accountId}, 'An account')`
  const actor = { type: 'human' as const, userId: 'u1', accountId }

  return {
    ...webhooks,
    database,
    clock,
    accountId,
    actor,
    entitlement,
    emit: (action: string, account = accountId) =>
      database.transact({ ...actor, accountId: account }, (tx) => tx.audit({ action, metadata: { n: 1 } })),
    deliveries: () => database.sql`
      select delivery_id, event_id, state, attempts, next_attempt_at, last_status, last_error
      from svc.audit_deliveries order by created_at, delivery_id`,
    async stop() {
      await outbound.stop()
      await database.close()
    },
  }
}

/** Webhooks use these parts of the kernel and no other. */
function partialKernel(parts: Partial<Kernel>): Kernel
function partialKernel(parts: Partial<Kernel>): unknown {
  return parts
}
