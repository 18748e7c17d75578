import { findSystemRole } from '@svc/contract'
import type { Tx } from '../../kernel/database/index.ts'
import { isUuid, newId } from '../../kernel/ids/index.ts'
import { type HeldRole, lockAssignment, putAssignment } from '../store/assignments.ts'
import { recordExpiry } from './expire-assignments.ts'
import { requireOtherOwner } from './protect-owners.ts'
import { type AssignmentRow, describeAssignment } from './record.ts'
import { type AssignmentContext, revokeRoles } from './revoke-roles.ts'

export interface Grant extends HeldRole {
  /** Null or absent: for ever. */
  readonly expiresAt?: Date | null | undefined
  readonly source?: AssignmentRow['source']
}

/**
 * Grants a role, in the caller's transaction and with its audit event. Granting again what is held already renews expiry
 * and source. A principal holds one system role on a project: a new one replaces the old.
 */
export async function grantRole(context: AssignmentContext, tx: Tx, grant: Grant): Promise<AssignmentRow> {
  await settleExisting(context, tx, grant)
  const { userId } = tx.actor
  const row = await putAssignment(tx, grant, {
    assignmentId: newId(),
    expiresAt: grant.expiresAt ?? null,
    source: grant.source ?? 'manual',
    grantedBy: isUuid(userId) ? userId : null,
  })
  await tx.audit({
    action: 'iam.assignment.granted',
    outcome: 'success',
    accountId: grant.accountId,
    ...(grant.projectId === undefined ? {} : { projectId: grant.projectId }),
    resourceType: 'assignment',
    resourceId: row.assignmentId,
    after: describeAssignment(row),
  })
  context.noteChange(tx, grant.accountId)
  return row
}

/** What a grant finds in its place: an expiry nobody recorded yet, an owner about to become temporary, an old role. */
async function settleExisting(context: AssignmentContext, tx: Tx, grant: Grant): Promise<void> {
  const existing = await lockAssignment(tx, grant)
  if (existing) {
    await recordExpiry(context, tx, existing)
    const staysForEver = !grant.expiresAt
    if (!staysForEver) await requireOtherOwner(tx, grant.accountId, [existing], context.clock)
  }
  const isProjectRole =
    findSystemRole(grant.roleId)?.resource_type === 'project' && grant.roleId !== 'builtin:agent-user'
  if (!isProjectRole || grant.object) return
  await revokeRoles(context, tx, {
    accountId: grant.accountId,
    principal: grant.principal,
    ...(grant.projectId === undefined ? { scope: 'account' } : { projectId: grant.projectId }),
    onObject: false,
    roleIds: ['builtin:manager', 'builtin:user'].filter((roleId) => roleId !== grant.roleId),
  })
}
