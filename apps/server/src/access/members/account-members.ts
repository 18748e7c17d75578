import type { Tx } from '../../kernel/database/index.ts'
import { grantRole } from '../assignments/grant-role.ts'
import type { AssignmentRow } from '../assignments/record.ts'
import { type AssignmentContext, revokeRoles } from '../assignments/revoke-roles.ts'
import type { AccountRole } from '../engine/facts.ts'
import { backdateAssignment, findAssignments } from '../store/assignments.ts'
import { deleteFromGroups } from '../store/groups.ts'

/** Membership of an account is an assignment of one of its system roles at account scope. */
export const accountRoleIds = { owner: 'builtin:owner', admin: 'builtin:admin', member: 'builtin:member' } as const

/** The strongest account role of a user; undefined for somebody who does not belong. Inside a transaction: current. */
export async function readAccountRole(
  tx: Tx,
  accountId: string,
  userId: string,
  now: Date,
): Promise<AccountRole | undefined> {
  const rows = await findAssignments(tx, { accountId, principal: { type: 'user', id: userId }, scope: 'account' })
  const held = new Set(rows.filter((row) => row.expiresAt === null || row.expiresAt > now).map((row) => row.roleId))
  if (held.has(accountRoleIds.owner)) return 'owner'
  if (held.has(accountRoleIds.admin)) return 'admin'
  return held.has(accountRoleIds.member) ? 'member' : undefined
}

export interface AccountRoleChange {
  readonly accountId: string
  readonly userId: string
  readonly role: AccountRole
  readonly source?: AssignmentRow['source']
  readonly expiresAt?: Date | null
}

/**
 * Makes somebody a member with this role, in place of any other they had. Owners and admins are managers of every
 * project, so their direct project assignments go.
 */
export async function setAccountRole(
  context: AssignmentContext,
  tx: Tx,
  { accountId, userId, role, source, expiresAt }: AccountRoleChange,
): Promise<AssignmentRow> {
  const principal = { type: 'user', id: userId } as const
  const joinedAt = await readJoined(tx, accountId, userId)
  const granted = await grantRole(context, tx, {
    accountId,
    principal,
    roleId: accountRoleIds[role],
    expiresAt: expiresAt ?? null,
    ...(source === undefined ? {} : { source }),
  })
  const others = Object.values(accountRoleIds).filter((roleId) => roleId !== accountRoleIds[role])
  await revokeRoles(context, tx, { accountId, principal, scope: 'account', roleIds: others })
  if (role !== 'member') await revokeRoles(context, tx, { accountId, principal, scope: 'project', onObject: false })
  if (joinedAt === undefined || joinedAt >= granted.createdAt) return granted
  await backdateAssignment(tx, granted.assignmentId, joinedAt)
  return { ...granted, createdAt: joinedAt }
}

/** A new role does not make somebody a new member: when they joined stays. */
async function readJoined(tx: Tx, accountId: string, userId: string): Promise<Date | undefined> {
  const principal = { type: 'user', id: userId } as const
  const held = await findAssignments(tx, {
    accountId,
    principal,
    scope: 'account',
    roleIds: Object.values(accountRoleIds),
  })
  return held.map((row) => row.createdAt).sort((a, b) => a.getTime() - b.getTime())[0]
}

/** Takes every assignment in the account away, and the place in its groups. Refuses for the last owner. */
export async function removeFromAccount(
  context: AssignmentContext,
  tx: Tx,
  accountId: string,
  userId: string,
): Promise<AssignmentRow[]> {
  const revoked = await revokeRoles(context, tx, { accountId, principal: { type: 'user', id: userId } })
  await deleteFromGroups(tx, accountId, userId)
  context.noteChange(tx, accountId)
  return revoked
}
