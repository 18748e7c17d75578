import { and, asc, eq, inArray, isNotNull, isNull, lte, type SQL, sql } from 'drizzle-orm'
import type { Drizzle, DrizzleTransaction, Tx } from '../../kernel/database/index.ts'
import type { AssignmentRow } from '../assignments/record.ts'
import type { ObjectType } from '../engine/facts.ts'
import { assignments } from '../schema.ts'

/** One role of one principal in one place: there is at most one assignment of it. */
export interface HeldRole {
  readonly accountId: string
  readonly principal: { readonly type: AssignmentRow['principalType']; readonly id: string }
  /** `builtin:…`, or the id of a custom role of this account. */
  readonly roleId: string
  /** Absent: at account scope. */
  readonly projectId?: string | undefined
  readonly object?: { readonly type: ObjectType; readonly id: string } | undefined
}

/** Which assignments of an account. Every field that is given narrows. */
export interface RevokeFilter {
  readonly accountId: string
  readonly assignmentId?: string
  readonly principal?: HeldRole['principal']
  readonly roleIds?: readonly string[]
  readonly projectId?: string
  readonly scope?: 'account' | 'project'
  /** True: only those on an object; false: only those on none. */
  readonly onObject?: boolean
}

export async function findAssignment(
  db: Drizzle,
  accountId: string,
  assignmentId: string,
): Promise<AssignmentRow | undefined> {
  const [row] = await db
    .select()
    .from(assignments)
    .where(and(eq(assignments.accountId, accountId), eq(assignments.assignmentId, assignmentId)))
  return row
}

/** The assignment of this role in exactly this place. Nobody else changes it until the transaction ends. */
export async function lockAssignment(tx: Tx, held: HeldRole): Promise<AssignmentRow | undefined> {
  const { accountId, principal, roleId, projectId, object } = held
  const [row] = await tx.db
    .select()
    .from(assignments)
    .where(
      and(
        eq(assignments.accountId, accountId),
        eq(assignments.principalType, principal.type),
        eq(assignments.principalId, principal.id),
        eq(assignments.roleId, roleId),
        projectId === undefined ? isNull(assignments.scopeId) : eq(assignments.scopeId, projectId),
        object === undefined ? isNull(assignments.objectId) : eq(assignments.objectId, object.id),
        object === undefined ? isNull(assignments.objectType) : eq(assignments.objectType, object.type),
      ),
    )
    .for('update')
  return row
}

/** Makes the assignment. Where it exists already its expiry and source are renewed, and its expiry is to be recorded anew. */
export async function putAssignment(
  tx: Tx,
  { accountId, principal, roleId, projectId, object }: HeldRole,
  details: Pick<AssignmentRow, 'assignmentId' | 'expiresAt' | 'source' | 'grantedBy'>,
): Promise<AssignmentRow> {
  const { expiresAt, source } = details
  const [row] = await tx.db
    .insert(assignments)
    .values({
      ...details,
      accountId,
      principalType: principal.type,
      principalId: principal.id,
      roleId,
      scopeType: projectId === undefined ? 'account' : 'project',
      scopeId: projectId ?? null,
      objectType: object?.type ?? null,
      objectId: object?.id ?? null,
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
  return row
}

/** Gives an assignment the age of the one it replaces. */
export async function backdateAssignment(tx: Tx, assignmentId: string, createdAt: Date): Promise<void> {
  await tx.db.update(assignments).set({ createdAt }).where(eq(assignments.assignmentId, assignmentId))
}

export async function findAssignments(tx: Tx, filter: RevokeFilter): Promise<AssignmentRow[]> {
  return tx.db
    .select()
    .from(assignments)
    .where(and(...toConditions(filter)))
}

function toConditions(filter: RevokeFilter): SQL[] {
  const { accountId, assignmentId, principal, roleIds, projectId, scope, onObject } = filter
  const conditions: SQL[] = [eq(assignments.accountId, accountId)]
  if (assignmentId !== undefined) conditions.push(eq(assignments.assignmentId, assignmentId))
  if (principal !== undefined) {
    conditions.push(eq(assignments.principalType, principal.type), eq(assignments.principalId, principal.id))
  }
  if (roleIds !== undefined) conditions.push(inArray(assignments.roleId, [...roleIds]))
  if (projectId !== undefined) conditions.push(eq(assignments.scopeId, projectId))
  if (scope !== undefined) conditions.push(eq(assignments.scopeType, scope))
  if (onObject !== undefined) {
    conditions.push(onObject ? isNotNull(assignments.objectId) : isNull(assignments.objectId))
  }
  return conditions
}

/** The rows that were there to delete: what another transaction deleted first is not among them. */
export async function deleteAssignments(tx: Tx, ids: readonly string[]): Promise<AssignmentRow[]> {
  return tx.db
    .delete(assignments)
    .where(inArray(assignments.assignmentId, [...ids]))
    .returning()
}

export async function countAssignmentsOfRole(
  db: Drizzle | DrizzleTransaction,
  accountId: string,
  roleId: string,
): Promise<number> {
  return db.$count(assignments, and(eq(assignments.accountId, accountId), eq(assignments.roleId, roleId)))
}

/** Expired and not yet in the audit log, longest ago first. What another node works on is skipped. */
export async function lockUnrecordedExpiries(tx: Tx, now: Date, limit: number): Promise<AssignmentRow[]> {
  return tx.db
    .select()
    .from(assignments)
    .where(and(isNotNull(assignments.expiresAt), isNull(assignments.expiryRecordedAt), lte(assignments.expiresAt, now)))
    .orderBy(asc(assignments.expiresAt))
    .limit(limit)
    .for('update', { skipLocked: true })
}

export async function markExpiriesRecorded(tx: Tx, ids: readonly string[], now: Date): Promise<void> {
  await tx.db
    .update(assignments)
    .set({ expiryRecordedAt: now })
    .where(inArray(assignments.assignmentId, [...ids]))
}
