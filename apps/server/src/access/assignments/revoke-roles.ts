import { and, eq, inArray, isNotNull, isNull, type SQL } from 'drizzle-orm'
import type { Clock } from '../../kernel/clock/index.ts'
import type { Tx } from '../../kernel/database/index.ts'
import { assignments } from '../schema.ts'
import { recordExpiry } from './expire-assignments.ts'
import { requireOtherOwner } from './protect-owners.ts'
import { type AssignmentRow, describeAssignment } from './record.ts'

export interface AssignmentContext {
  readonly clock: Clock
  noteChange(tx: Tx, accountId: string): void
}

/** Which assignments of an account to revoke. Every field that is given narrows; there must be one besides the account. */
export interface RevokeFilter {
  readonly accountId: string
  readonly assignmentId?: string
  readonly principal?: { readonly type: AssignmentRow['principalType']; readonly id: string }
  readonly roleIds?: readonly string[]
  readonly projectId?: string
  readonly scope?: 'account' | 'project'
  /** True: only those on an object; false: only those on none. */
  readonly onObject?: boolean
}

/** Revokes in the caller's transaction, one audit event each. Refuses (409) to take the account's last owner away. */
export async function revokeRoles(context: AssignmentContext, tx: Tx, filter: RevokeFilter): Promise<AssignmentRow[]> {
  const conditions = toConditions(filter)
  if (conditions.length === 0) throw new TypeError('revoking everything in an account is not what anyone means')
  return deleteAssignments(context, tx, filter.accountId, and(...conditions))
}

export async function deleteAssignments(
  context: AssignmentContext,
  tx: Tx,
  accountId: string,
  condition: SQL | undefined,
): Promise<AssignmentRow[]> {
  const inAccount = and(eq(assignments.accountId, accountId), condition)
  const found = await tx.db.select().from(assignments).where(inAccount)
  if (found.length === 0) return []
  await requireOtherOwner(tx, accountId, found, context.clock)
  const ids = found.map((row) => row.assignmentId)
  const rows = await tx.db.delete(assignments).where(inArray(assignments.assignmentId, ids)).returning()
  for (const row of rows) {
    await recordExpiry(context, tx, row)
    await tx.audit({
      action: 'iam.assignment.revoked',
      outcome: 'success',
      accountId,
      ...(row.scopeId === null ? {} : { projectId: row.scopeId }),
      resourceType: 'assignment',
      resourceId: row.assignmentId,
      before: describeAssignment(row),
    })
  }
  context.noteChange(tx, accountId)
  return rows
}

function toConditions(filter: RevokeFilter): SQL[] {
  const { assignmentId, principal, roleIds, projectId, scope, onObject } = filter
  const conditions: SQL[] = []
  if (assignmentId !== undefined) conditions.push(eq(assignments.assignmentId, assignmentId))
  if (principal) {
    conditions.push(eq(assignments.principalType, principal.type), eq(assignments.principalId, principal.id))
  }
  if (roleIds) conditions.push(inArray(assignments.roleId, [...roleIds]))
  if (projectId !== undefined) conditions.push(eq(assignments.scopeId, projectId))
  if (scope !== undefined) conditions.push(eq(assignments.scopeType, scope))
  if (onObject !== undefined) {
    conditions.push(onObject ? isNotNull(assignments.objectId) : isNull(assignments.objectId))
  }
  return conditions
}
