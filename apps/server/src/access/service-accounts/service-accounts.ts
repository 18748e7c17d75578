import type { ServiceAccount } from '@svc/contract'
import { and, desc, eq, isNull, sql } from 'drizzle-orm'
import type { z } from 'zod'
import type { Actor } from '../../kernel/actor.ts'
import type { Tx } from '../../kernel/database/index.ts'
import { invalid, problem } from '../../kernel/http/index.ts'
import { newId } from '../../kernel/ids/index.ts'
import { mintToken, showTokenStart } from '../../kernel/tokens/index.ts'
import type { Access } from '../access.ts'
import { deleteAssignments } from '../assignments/revoke-roles.ts'
import { decodeCursor, pageSize } from '../paging.ts'
import { assignments, serviceAccounts } from '../schema.ts'

export type ServiceAccountRow = typeof serviceAccounts.$inferSelect
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
export async function listServiceAccounts({ kernel }: Access, accountId: string, cursor: string | undefined) {
  const after = decodeCursor(cursor, ['time', 'uuid'])
  const { serviceAccountId, createdAt } = serviceAccounts
  return kernel.database.db
    .select({ row: serviceAccounts, createdAtText: sql<string>`${createdAt}::text` })
    .from(serviceAccounts)
    .where(
      and(
        eq(serviceAccounts.accountId, accountId),
        isNull(serviceAccounts.projectId),
        after && sql`(${createdAt}, ${serviceAccountId}) < (${after[0]}::text::timestamptz, ${after[1]}::text::uuid)`,
      ),
    )
    .orderBy(desc(createdAt), desc(serviceAccountId))
    .limit(pageSize + 1)
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
    const [row] = await tx.db
      .insert(serviceAccounts)
      .values({
        serviceAccountId,
        accountId,
        name: input.name,
        description: input.description ?? null,
        publicPrefix: showTokenStart(secret),
        secretHash: tokenHasher.hashToken(secret),
        expiresAt,
      })
      .onConflictDoNothing()
      .returning()
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
    await tx.db
      .update(serviceAccounts)
      .set({ status: 'disabled', disabledAt: access.kernel.clock.now() })
      .where(eq(serviceAccounts.serviceAccountId, serviceAccountId))
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
    const held = and(eq(assignments.principalType, 'service_account'), eq(assignments.principalId, serviceAccountId))
    await deleteAssignments(access.context, tx, accountId, held)
    await access.endServiceAccount(tx, serviceAccountId)
    await tx.db.delete(serviceAccounts).where(eq(serviceAccounts.serviceAccountId, serviceAccountId))
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
  const [row] = await tx.db
    .select()
    .from(serviceAccounts)
    .where(and(eq(serviceAccounts.serviceAccountId, serviceAccountId), eq(serviceAccounts.accountId, accountId)))
    .for('update')
  if (!row) throw problem('not_found')
  if (row.projectId !== null) throw problem('agent_identity')
  return row
}

function about(accountId: string, serviceAccountId: string) {
  return { outcome: 'success', accountId, resourceType: 'service_account', resourceId: serviceAccountId } as const
}
