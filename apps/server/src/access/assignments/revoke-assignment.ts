import type { Tx } from '../../kernel/database/index.ts'
import { type Call, problem } from '../../kernel/http/index.ts'
import type { Access } from '../access.ts'
import { accountRoleIds } from '../members/account-members.ts'
import { findRole } from '../roles/find-role.ts'
import { findAssignment, findAssignments } from '../store/assignments.ts'
import { lockOwners } from '../store/owners.ts'
import { permissionsToGrant } from './check-grant.ts'
import { type AssignmentRecord, type AssignmentRow, toRecord } from './record.ts'
import { revokeRoles } from './revoke-roles.ts'

export async function revokeAssignment(
  access: Access,
  call: Pick<Call, 'principal' | 'actor' | 'require'>,
  accountId: string,
  assignmentId: string,
): Promise<AssignmentRecord> {
  const { database } = access.kernel
  await access.accounts.requireBelonging(call.principal, accountId)
  const row = await findAssignment(database.db, accountId, assignmentId)
  if (!row) throw problem('not_found')
  const role = await findRole(database.db, accountId, row.roleId)
  for (const permission of permissionsToGrant({ objectType: row.objectType, role }, 'policy.delete')) {
    await call.require(permission, { accountId, projectId: row.scopeId ?? undefined })
  }
  const revoked = await database.transact(call.actor, async (tx) => {
    if (isMembership(row)) await requireOtherRole(access, tx, row)
    if (row.scopeId !== null && row.objectType === null) {
      const principal = { type: row.principalType, id: row.principalId }
      await access.forgetOffers(tx, { accountId, projectId: row.scopeId, principal })
    }
    return revokeRoles(access.context, tx, { accountId, assignmentId })
  })
  const [gone] = revoked
  if (!gone) throw problem('not_found')
  return toRecord(gone, role?.key)
}

function isMembership(row: AssignmentRow): boolean {
  const isAccountRole = Object.values<string>(accountRoleIds).includes(row.roleId)
  return row.principalType === 'user' && row.scopeType === 'account' && isAccountRole
}

/** Whoever holds no account role is no member, and leaving takes more than this: their tokens, groups and projects. */
async function requireOtherRole(access: Access, tx: Tx, row: AssignmentRow): Promise<void> {
  const now = access.kernel.clock.now()
  if (row.expiresAt !== null && row.expiresAt <= now) return
  await lockOwners(tx, row.accountId)
  const principal = { type: 'user', id: row.principalId } as const
  const held = await findAssignments(tx, { accountId: row.accountId, principal, scope: 'account' })
  const others = held.filter(
    (one) =>
      one.assignmentId !== row.assignmentId && isMembership(one) && (one.expiresAt === null || one.expiresAt > now),
  )
  if (others.length > 0) return
  const owners = await access.countOwners(row.accountId, tx)
  throw problem(row.roleId === accountRoleIds.owner && owners <= 1 ? 'last_owner' : 'only_account_role')
}
