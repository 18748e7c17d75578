import { and, desc, eq, gt, isNull, or, type SQL, sql } from 'drizzle-orm'
import type { Drizzle } from '../../kernel/database/index.ts'
import { invalid } from '../../kernel/http/index.ts'
import { decodeCursor, pageSize } from '../paging.ts'
import { assignments, roles } from '../schema.ts'
import type { AssignmentRow } from './record.ts'

export interface AssignmentFilter {
  readonly principal_type?: AssignmentRow['principalType'] | undefined
  readonly principal_id?: string | undefined
  readonly scope_type?: AssignmentRow['scopeType'] | undefined
  readonly scope_id?: string | undefined
  readonly object_type?: NonNullable<AssignmentRow['objectType']> | undefined
  readonly object_id?: string | undefined
  readonly role_id?: string | undefined
  readonly include_expired?: boolean | undefined
  readonly cursor?: string | undefined
}

export interface ListedAssignment {
  readonly row: AssignmentRow
  readonly customKey: string | null
  /** With the microseconds that a Date loses, for the cursor. */
  readonly createdAtText: string
}

/** Newest first. One row more than a page holds when there are more. */
export async function listAssignments(
  db: Drizzle,
  accountId: string,
  filter: AssignmentFilter,
  now: Date,
): Promise<ListedAssignment[]> {
  if ((filter.principal_type === undefined) !== (filter.principal_id === undefined)) {
    throw invalid([{ path: 'principal_id', message: 'principal_type and principal_id go together' }])
  }
  const createdAtText = sql<string>`${assignments.createdAt}::text`
  return db
    .select({ row: assignments, customKey: roles.key, createdAtText })
    .from(assignments)
    .leftJoin(
      roles,
      and(eq(roles.accountId, assignments.accountId), sql`${roles.roleId}::text = ${assignments.roleId}`),
    )
    .where(and(eq(assignments.accountId, accountId), ...toConditions(filter, now)))
    .orderBy(desc(assignments.createdAt), desc(assignments.assignmentId))
    .limit(pageSize + 1)
}

function toConditions(filter: AssignmentFilter, now: Date): SQL[] {
  const conditions: (SQL | undefined)[] = [
    filter.principal_type && eq(assignments.principalType, filter.principal_type),
    filter.principal_id === undefined ? undefined : eq(assignments.principalId, filter.principal_id),
    filter.scope_type && eq(assignments.scopeType, filter.scope_type),
    filter.scope_id === undefined ? undefined : eq(assignments.scopeId, filter.scope_id),
    filter.object_type && eq(assignments.objectType, filter.object_type),
    filter.object_id === undefined ? undefined : eq(assignments.objectId, filter.object_id),
    filter.role_id === undefined ? undefined : eq(assignments.roleId, filter.role_id),
    filter.include_expired ? undefined : or(isNull(assignments.expiresAt), gt(assignments.expiresAt, now)),
  ]
  const after = decodeCursor(filter.cursor, ['time', 'uuid'])
  if (after) {
    conditions.push(
      sql`(${assignments.createdAt}, ${assignments.assignmentId}) < (${after[0]}::text::timestamptz, ${after[1]}::text::uuid)`,
    )
  }
  return conditions.filter((condition) => condition !== undefined)
}
