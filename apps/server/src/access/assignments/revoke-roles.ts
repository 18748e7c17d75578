import type { Clock } from '../../kernel/clock/index.ts'
import type { Tx } from '../../kernel/database/index.ts'
import { deleteAssignments, findAssignments, type RevokeFilter } from '../store/assignments.ts'
import { recordExpiry } from './expire-assignments.ts'
import { requireOtherOwner } from './protect-owners.ts'
import { type AssignmentRow, describeAssignment } from './record.ts'

export interface AssignmentContext {
  readonly clock: Clock
  noteChange(tx: Tx, accountId: string): void
}

/**
 * Revokes in the caller's transaction, one audit event each. The filter must name something besides the account. Refuses
 * (409) to take the account's last owner away.
 */
export async function revokeRoles(context: AssignmentContext, tx: Tx, filter: RevokeFilter): Promise<AssignmentRow[]> {
  if (!isNarrowed(filter)) throw new TypeError('revoking everything in an account is not what anyone means')
  const { accountId } = filter
  const found = await findAssignments(tx, filter)
  if (found.length === 0) return []
  await requireOtherOwner(tx, accountId, found, context.clock)
  const ids = found.map((row) => row.assignmentId)
  const rows = await deleteAssignments(tx, ids)
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

/** Names each field, so that one the query does not know never counts. */
function isNarrowed({ assignmentId, principal, roleIds, projectId, scope, onObject }: RevokeFilter): boolean {
  return [assignmentId, principal, roleIds, projectId, scope, onObject].some((value) => value !== undefined)
}
