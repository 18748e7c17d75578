import type { ServiceAccount } from '@svc/contract'
import type { z } from 'zod'
import type { Actor } from '../../kernel/actor.ts'
import type { Tx } from '../../kernel/database/index.ts'
import { decodeCursor, invalid, pageSize, problem } from '../../kernel/http/index.ts'
import { newId } from '../../kernel/ids/index.ts'
import { mintToken, showTokenStart } from '../../kernel/tokens/index.ts'
import type { Access } from '../access.ts'
import { revokeRoles } from '../assignments/revoke-roles.ts'
import {
  deleteServiceAccountRow,
  insertServiceAccount,
  type ListedServiceAccount,
  listOrdinaryRows,
  lockServiceAccount,
  markDisabled,
  type ServiceAccountRow,
} from '../store/service-accounts.ts'

export type ServiceAccountRecord = z.input<typeof ServiceAccount>

export function toServiceAccountRecord(row: ServiceAccountRow): ServiceAccountRecord {
  return {
    service_account_id: row.serviceAccountId,
    name: row.name,
    description: row.description,
    public_prefix: row.publicPrefix,
    status: row.status,
    last_used_at: row.lastUsedAt?.toISOString() ?? null,
    expires_at: row.expiresAt?.toISOString() ?? null,
    created_at: row.createdAt.toISOString(),
    disabled_at: row.disabledAt?.toISOString() ?? null,
  }
}

/** Newest first, without the identities of agents: those are listed on their own. */
export async function listServiceAccounts(
  { kernel }: Access,
  accountId: string,
  cursor: string | undefined,
): Promise<ListedServiceAccount[]> {
  const after = decodeCursor(cursor, ['time', 'uuid'])
  return listOrdinaryRows(kernel.database.db, accountId, { after, limit: pageSize + 1 })
}

/** A new service account holds nothing until something is assigned to it. The secret is in no other answer. */
export async function createServiceAccount(
  access: Access,
  actor: Actor,
  accountId: string,
  input: { name: string; description?: string | null | undefined; expires_at?: string | null | undefined },
): Promise<ServiceAccountRecord & { secret: string }> {
  const { clock, database, tokenHasher } = access.kernel
  const expiresAt = input.expires_at ? new Date(input.expires_at) : null
  if (expiresAt && expiresAt <= clock.now()) throw invalid([{ path: 'expires_at', message: 'must be in the future' }])
  const secret = mintToken('svc_sa_')
  const serviceAccountId = newId()
  return database.transact(actor, async (tx) => {
    const row = await insertServiceAccount(tx, {
      serviceAccountId,
      accountId,
      name: input.name,
      description: input.description ?? null,
      publicPrefix: showTokenStart(secret),
      secretHash: tokenHasher.hashToken(secret),
      expiresAt,
    })
    if (!row) throw problem('name_taken', { say: `A service account called ${input.name} exists already.` })
    const after = { name: input.name, expires_at: row.expiresAt?.toISOString() ?? null }
    await tx.audit({ action: 'iam.service_account.create', ...about(accountId, serviceAccountId), after })
    return { ...toServiceAccountRecord(row), secret }
  })
}

export async function disableServiceAccount(
  access: Access,
  actor: Actor,
  accountId: string,
  serviceAccountId: string,
): Promise<void> {
  await access.kernel.database.transact(actor, async (tx) => {
    const row = await requireOrdinary(tx, accountId, serviceAccountId)
    if (row.status === 'disabled') throw problem('already_disabled')
    await markDisabled(tx, serviceAccountId, access.kernel.clock.now())
    await access.endServiceAccount(tx, serviceAccountId)
    await tx.audit({
      action: 'iam.service_account.disable',
      ...about(accountId, serviceAccountId),
      before: { name: row.name },
    })
    access.context.noteChange(tx, accountId)
  })
}

export async function deleteServiceAccount(
  access: Access,
  actor: Actor,
  accountId: string,
  serviceAccountId: string,
): Promise<void> {
  await access.kernel.database.transact(actor, async (tx) => {
    const row = await requireOrdinary(tx, accountId, serviceAccountId)
    await revokeRoles(access.context, tx, { accountId, principal: { type: 'service_account', id: serviceAccountId } })
    await access.endServiceAccount(tx, serviceAccountId)
    await deleteServiceAccountRow(tx, serviceAccountId)
    await tx.audit({
      action: 'iam.service_account.delete',
      ...about(accountId, serviceAccountId),
      before: { name: row.name },
    })
    access.context.noteChange(tx, accountId)
  })
}

/** An agent's identity lives as long as the agent does. */
async function requireOrdinary(tx: Tx, accountId: string, serviceAccountId: string): Promise<ServiceAccountRow> {
  const row = await lockServiceAccount(tx, accountId, serviceAccountId)
  if (!row) throw problem('not_found')
  if (row.projectId !== null) throw problem('agent_identity')
  return row
}

function about(accountId: string, serviceAccountId: string) {
  return { outcome: 'success', accountId, resourceType: 'service_account', resourceId: serviceAccountId } as const
}
