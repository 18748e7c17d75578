import type { BodyOf, operations } from '@svc/contract'
import type { Actor } from '../../kernel/actor.ts'
import type { EnqueuableJob, Tx } from '../../kernel/database/index.ts'
import { invalid, problem } from '../../kernel/http/index.ts'
import { newId } from '../../kernel/ids/index.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { reviveDeadLetters } from '../store/deliveries.ts'
import {
  addWebhook,
  changeWebhook,
  countWebhooks,
  countWebhooksLocked,
  deleteWebhook,
  lockWebhook,
  type WebhookRow,
} from '../store/webhooks.ts'
import { enqueueAttempt } from './deliver-event.ts'
import { sendEvent } from './send-event.ts'
import { makeTestEvent } from './test-event.ts'
import { toWebhookRecord } from './webhook-record.ts'
import { makeSecret, openSecrets, sealSecret } from './webhook-secret.ts'

export interface WebhookParts {
  readonly kernel: Kernel
  readonly job: EnqueuableJob<{ delivery_id: string }>
}

type Webhooks = typeof operations.audit
const signsAlongMs = 24 * 3_600_000
const webhooksPerAccount = 20
const replayedPerCall = 1_000

/** The test event goes first: it tells by the very dialler that deliveries use whether the address may be called. */
export async function createWebhook(
  { kernel }: WebhookParts,
  actor: Actor,
  accountId: string,
  { name, url, action_prefix: actionPrefix = null }: BodyOf<Webhooks['createWebhook']>,
) {
  // An account that is full is told so before anything is sent.
  refuseBeyondLimit(await countWebhooks(kernel.database.db, accountId))
  const webhookId = newId()
  const secret = makeSecret()
  const test = await sendEvent(kernel.outbound, {
    url,
    deliveryId: newId(),
    secrets: [secret],
    event: makeTestEvent(accountId, kernel.clock.now()),
    nowMs: kernel.clock.nowMs(),
  })
  if (test.isRefused) throw invalid([{ path: 'url', message: test.error ?? 'must be an address that may be called' }])

  const sealedSecret = await sealSecret(kernel.envelope, { accountId, webhookId }, 'secret', secret)
  const now = kernel.clock.now()
  const row = await kernel.database.transact(actor, async (tx) => {
    refuseBeyondLimit(await countWebhooksLocked(tx.db, accountId))
    const added = await addWebhook(tx.db, {
      webhookId,
      accountId,
      name,
      url,
      actionPrefix,
      sealedSecret,
      createdAt: now,
      updatedAt: now,
    })
    await record(tx, 'create', added, { after: { name, url, action_prefix: actionPrefix } })
    return added
  })
  const { ok, status, error } = test
  return {
    ...toWebhookRecord(row),
    secret,
    test: { ok, ...(status === undefined ? {} : { status }), ...(error === undefined ? {} : { error }) },
  }
}

export async function updateWebhook(
  { kernel }: WebhookParts,
  actor: Actor,
  { accountId, webhookId }: Named,
  { name, enabled, action_prefix: actionPrefix }: BodyOf<Webhooks['updateWebhook']>,
) {
  return kernel.database.transact(actor, async (tx) => {
    const hook = await requireWebhook(tx, accountId, webhookId)
    const changed = await changeWebhook(tx.db, hook, {
      ...(name === undefined ? {} : { name }),
      ...(actionPrefix === undefined ? {} : { actionPrefix }),
      ...(enabled === undefined ? {} : { enabled }),
      // Somebody looked after the receiver: it is tried at once.
      ...(enabled === true && !hook.enabled ? { slowUntil: null, slowLevel: 0 } : {}),
      updatedAt: kernel.clock.now(),
    })
    await record(tx, 'update', hook, { before: describe(hook), after: describe(changed) })
    return toWebhookRecord(changed)
  })
}

export async function removeWebhook({ kernel }: WebhookParts, actor: Actor, { accountId, webhookId }: Named) {
  await kernel.database.transact(actor, async (tx) => {
    const hook = await requireWebhook(tx, accountId, webhookId)
    await deleteWebhook(tx.db, hook)
    await record(tx, 'delete', hook, { before: describe(hook) })
  })
}

export async function rotateSecret({ kernel }: WebhookParts, actor: Actor, { accountId, webhookId }: Named) {
  const { clock, envelope, database } = kernel
  const secret = makeSecret()
  await database.transact(actor, async (tx) => {
    const hook = await requireWebhook(tx, accountId, webhookId)
    const now = clock.now()
    const [old] = await openSecrets(envelope, hook, now)
    await changeWebhook(tx.db, hook, {
      sealedSecret: await sealSecret(envelope, hook, 'secret', secret),
      sealedPreviousSecret: await sealSecret(envelope, hook, 'previous_secret', old),
      previousSecretUntil: new Date(now.getTime() + signsAlongMs),
      updatedAt: now,
    })
    await record(tx, 'rotate_secret', hook, {})
  })
  return { secret }
}

/** At most so many at once, the oldest first: whoever asks calls again while some remain. */
export async function replayDeadLetters(
  { kernel, job }: WebhookParts,
  actor: Actor,
  { accountId, webhookId }: Named,
  since: string,
) {
  return kernel.database.transact(actor, async (tx) => {
    const hook = await requireWebhook(tx, accountId, webhookId)
    const now = kernel.clock.now()
    const { revived, remaining } = await reviveDeadLetters(tx.db, webhookId, {
      since: new Date(since),
      now,
      limit: replayedPerCall,
    })
    for (const deliveryId of revived) await enqueueAttempt(tx, job, deliveryId, now)
    await record(tx, 'replay', hook, { metadata: { count: revived.length, remaining } })
    return { queued: revived.length, remaining }
  })
}

function refuseBeyondLimit(count: number): void {
  if (count >= webhooksPerAccount) throw problem('webhook_limit_reached')
}

interface Named {
  readonly accountId: string
  readonly webhookId: string
}

async function requireWebhook(tx: Tx, accountId: string, webhookId: string): Promise<WebhookRow> {
  const hook = await lockWebhook(tx.db, accountId, webhookId)
  if (!hook) throw problem('not_found')
  return hook
}

function describe({ name, enabled, actionPrefix }: WebhookRow) {
  return { name, enabled, action_prefix: actionPrefix }
}

async function record(
  tx: Tx,
  what: 'create' | 'update' | 'delete' | 'rotate_secret' | 'replay',
  { accountId, webhookId }: WebhookRow,
  details: { before?: object; after?: object; metadata?: Record<string, unknown> },
): Promise<void> {
  const about = { accountId, resourceType: 'audit_webhook', resourceId: webhookId }
  await tx.audit({ action: `iam.audit.webhook.${what}`, ...about, ...details })
}
