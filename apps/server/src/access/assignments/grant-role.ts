import { findSystemRole } from '@svc/contract'
import { and, eq, inArray, isNull, ne, type SQL, sql } from 'drizzle-orm'
import type { Tx } from '../../kernel/database/index.ts'
import { isUuid, newId } from '../../kernel/ids/index.ts'
import type { ObjectType } from '../engine/facts.ts'
import { assignments } from '../schema.ts'
import { recordExpiry } from './expire-assignments.ts'
import { requireOtherOwner } from './protect-owners.ts'
import { type AssignmentRow, describeAssignment } from './record.ts'
import { type AssignmentContext, deleteAssignments } from './revoke-roles.ts'

export interface Grant {
  readonly accountId: string
  readonly principal: { readonly type: AssignmentRow['principalType']; readonly id: string }
  /** `builtin:…`, or the id of a custom role of this account. */
  readonly roleId: string
  /** Absent: at account scope. */
  readonly projectId?: string | undefined
  readonly object?: { readonly type: ObjectType; readonly id: string } | undefined
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
  const { actor } = tx
  const expiresAt = grant.expiresAt ?? null
  const source = grant.source ?? 'manual'
  const [row] = await tx.db
    .insert(assignments)
    .values({
      assignmentId: newId(),
      accountId: grant.accountId,
      principalType: grant.principal.type,
      principalId: grant.principal.id,
      roleId: grant.roleId,
      scopeType: grant.projectId === undefined ? 'account' : 'project',
      scopeId: grant.projectId ?? null,
      objectType: grant.object?.type ?? null,
      objectId: grant.object?.id ?? null,
      expiresAt,
      source,
      grantedBy: isUuid(actor.userId) ? actor.userId : null,
    })
    .onConflictDoUpdate({
      target: [
        assignments.accountId,
        assignments.principalType,
        assignments.principalId,
        assignments.roleId,
        assignments.scopeType,
        assignments.scopeId,
        assignments.objectType,
        assignments.objectId,
      ],
      set: { expiresAt, source, expiryRecordedAt: null, updatedAt: sql`now()` },
    })
    .returning()
  if (!row) throw new Error('an upsert returned no row')
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
  const [existing] = await tx.db
    .select()
    .from(assignments)
    .where(and(...placeOf(grant), eq(assignments.roleId, grant.roleId)))
    .for('update')
  if (existing) {
    await recordExpiry(context, tx, existing)
    const staysForEver = !grant.expiresAt
    if (!staysForEver) await requireOtherOwner(tx, grant.accountId, [existing], context.clock)
  }
  const isProjectRole =
    findSystemRole(grant.roleId)?.resource_type === 'project' && grant.roleId !== 'builtin:agent-user'
  if (!isProjectRole || grant.object) return
  const replaced = and(
    ...placeOf(grant),
    inArray(assignments.roleId, ['builtin:manager', 'builtin:user']),
    ne(assignments.roleId, grant.roleId),
  )
  await deleteAssignments(context, tx, grant.accountId, replaced)
}

function placeOf({ accountId, principal, projectId, object }: Grant): SQL[] {
  return [
    eq(assignments.accountId, accountId),
    eq(assignments.principalType, principal.type),
    eq(assignments.principalId, principal.id),
    projectId === undefined ? isNull(assignments.scopeId) : eq(assignments.scopeId, projectId),
    object === undefined ? isNull(assignments.objectId) : eq(assignments.objectId, object.id),
    object === undefined ? isNull(assignments.objectType) : eq(assignments.objectType, object.type),
  ]
}
