import { and, eq, inArray } from 'drizzle-orm'
import type { Sql, Tx } from '../../kernel/database/index.ts'
import { grantRole } from '../assignments/grant-role.ts'
import type { AssignmentRow } from '../assignments/record.ts'
import { type AssignmentContext, revokeRoles } from '../assignments/revoke-roles.ts'
import type { AccountRole } from '../engine/facts.ts'
import { assignments, groupMembers, groups } from '../schema.ts'

/** Membership of an account is an assignment of one of its system roles at account scope. */
export const accountRoleIds = { owner: 'builtin:owner', admin: 'builtin:admin', member: 'builtin:member' } as const

export interface AccountMember {
  readonly userId: string
  readonly email: string
  readonly role: AccountRole
  readonly joinedAt: Date
}

/** Everybody who belongs to the account, with their strongest role, by role and then address. */
export async function listAccountMembers(sql: Sql, accountId: string, now: Date): Promise<AccountMember[]> {
  return sql<AccountMember[]>`
    select * from (
      select distinct on (a.principal_id) a.principal_id as "userId", u.email, substr(a.role_id, 9) as role,
        min(a.created_at) over (partition by a.principal_id) as "joinedAt",
        array_position(array['builtin:owner', 'builtin:admin', 'builtin:member'], a.role_id) as rank
      from svc.assignments a join svc.users u on u.user_id = a.principal_id
      where a.account_id = ${accountId} and a.scope_type = 'account' and a.principal_type = 'user'
        and a.role_id in ('builtin:owner', 'builtin:admin', 'builtin:member')
        and (a.expires_at is null or a.expires_at > ${now})
      order by a.principal_id, rank) members
    order by rank, email`
}

/** The strongest account role of a user; undefined for somebody who does not belong. Inside a transaction: current. */
export async function readAccountRole(
  tx: Tx,
  accountId: string,
  userId: string,
  now: Date,
): Promise<AccountRole | undefined> {
  const rows = await readAccountRows(tx, accountId, userId)
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
  return granted
}

/** Takes every assignment in the account away, and the place in its groups. Refuses for the last owner. */
export async function removeFromAccount(
  context: AssignmentContext,
  tx: Tx,
  accountId: string,
  userId: string,
): Promise<AssignmentRow[]> {
  const revoked = await revokeRoles(context, tx, { accountId, principal: { type: 'user', id: userId } })
  const ofAccount = tx.db.select({ id: groups.groupId }).from(groups).where(eq(groups.accountId, accountId))
  await tx.db.delete(groupMembers).where(and(eq(groupMembers.userId, userId), inArray(groupMembers.groupId, ofAccount)))
  context.noteChange(tx, accountId)
  return revoked
}

function readAccountRows(tx: Tx, accountId: string, userId: string) {
  return tx.db
    .select({ roleId: assignments.roleId, expiresAt: assignments.expiresAt })
    .from(assignments)
    .where(
      and(
        eq(assignments.accountId, accountId),
        eq(assignments.principalType, 'user'),
        eq(assignments.principalId, userId),
        eq(assignments.scopeType, 'account'),
      ),
    )
}
