import type { Tx } from '../kernel/database/index.ts'
import { problem } from '../kernel/http/index.ts'
import { isUuid, newId } from '../kernel/ids/index.ts'
import { chooseDelivery } from './delivery/choose-delivery.ts'
import { type AskedDelivery, asksForEgress, type Delivery } from './delivery/delivery.ts'
import { findConflict } from './delivery/find-conflict.ts'
import { maxSecrets } from './limit-writes.ts'
import type { Parts } from './parts.ts'
import { placeOfSecret } from './seal-value.ts'
import { countSecrets, listEgressSecrets, putSecret, type SecretRow } from './store.ts'

export interface SecretChange {
  readonly accountId: string
  readonly projectId: string
  readonly identifier: string
  readonly name: string
  readonly value: string | undefined
  readonly asked: AskedDelivery
}

/** In a transaction that holds the project: `current` is what there is under this identifier. */
export async function writeSecret(
  parts: Parts,
  tx: Tx,
  change: SecretChange,
  current: SecretRow | undefined,
): Promise<SecretRow> {
  const { accountId, projectId, identifier, name, value, asked } = change
  if (asksForEgress(asked, current?.strategy)) await parts.features.requireFeature(projectId, 'secrets_egress')
  const delivery = chooseDelivery(name, asked, current)
  if (current) checkMove(current, delivery, value !== undefined)
  if (!current && (await countSecrets(tx.db, projectId)) >= maxSecrets) throw problem('secret_limit_reached')
  await requireFreeDestination(tx, projectId, identifier, delivery)

  const now = parts.kernel.clock.now()
  const secretId = current?.secretId ?? newId()
  const sealedValue =
    value === undefined
      ? current?.sealedValue
      : await parts.kernel.envelope.seal(placeOfSecret({ accountId, secretId }), value)
  if (!sealedValue) throw new TypeError('a new secret is never written without a value')
  const leavesRuntime = current?.strategy === 'runtime' && delivery.strategy !== 'runtime'
  return putSecret(tx.db, {
    secretId,
    accountId,
    projectId,
    identifier,
    name,
    sealedValue,
    ...delivery,
    requiresRotation: value === undefined && (leavesRuntime || current?.requiresRotation === true),
    createdBy: isUuid(tx.actor.userId) ? tx.actor.userId : null,
    createdAt: now,
    updatedAt: now,
    lastRotatedAt: value === undefined || !current ? (current?.lastRotatedAt ?? null) : now,
  })
}

function checkMove(current: SecretRow, next: Delivery, hasNewValue: boolean): void {
  const isSame = current.strategy === next.strategy && current.consumer === next.consumer
  if (current.strategyLocked && !isSame) throw problem('secret_strategy_locked')
  const returns = current.strategy !== 'runtime' && next.strategy === 'runtime'
  if (returns && !hasNewValue) throw problem('secret_rotation_required')
}

async function requireFreeDestination(tx: Tx, projectId: string, identifier: string, delivery: Delivery) {
  if (delivery.strategy !== 'egress' || !delivery.egressPolicy) return
  const conflict = findConflict(delivery.egressPolicy, await listEgressSecrets(tx.db, projectId, identifier))
  if (conflict) throw problem('secret_boundary_destination_conflict', { extras: { conflict } })
}

/** What the audit log keeps: never a value, nor a template that may hold a part of one. */
export function describeSecret(row: SecretRow): Record<string, unknown> {
  return {
    identifier: row.identifier,
    name: row.name,
    strategy: row.strategy,
    consumer: row.consumer,
    hosts: row.egressPolicy?.rules.map(({ host }) => host) ?? null,
  }
}
