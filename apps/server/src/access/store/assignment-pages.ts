import { and, desc, eq, gt, isNull, or, type SQL, sql } from 'drizzle-orm'
import type { Drizzle } from '../../kernel/database/index.ts'
import type { AssignmentRow } from '../assignments/record.ts'
import { assignments, roles } from '../schema.ts'

export interface AssignmentConditions {
  readonly principal_type?: AssignmentRow['principalType'] | undefined
  readonly principal_id?: string | undefined
  readonly scope_type?: AssignmentRow['scopeType'] | undefined
  readonly scope_id?: string | undefined
  readonly object_type?: NonNullable<AssignmentRow['objectType']> | undefined
  readonly object_id?: string | undefined
  readonly role_id?: string | undefined
  readonly include_expired?: boolean | undefined
}

export interface ListedAssignment {
  readonly row: AssignmentRow
  readonly customKey: string | null
  /** With the microseconds that a Date loses, for the cursor. */
  readonly createdAtText: string
}

/** Newest first. `after` is the `createdAtText` and id of the row before the page. */
export async function listAssignmentRows(
  db: Drizzle,
  accountId: string,
  wanted: AssignmentConditions,
  page: { readonly after: readonly string[] | undefined; readonly limit: number; readonly now: Date },
): Promise<ListedAssignment[]> {
  const createdAtText = sql<string>`${assignments.createdAt}::text`
  return db
    .select({ row: assignments, customKey: roles.key, createdAtText })
    .from(assignments)
    .leftJoin(
      roles,
      and(eq(roles.accountId, assignments.accountId), sql`${roles.roleId}::text = ${assignments.roleId}`),
    )
    .where(and(eq(assignments.accountId, accountId), ...toConditions(wanted, page.now), isAfter(page.after)))
    .orderBy(desc(assignments.createdAt), desc(assignments.assignmentId))
    .limit(page.limit)
}

function toConditions(wanted: AssignmentConditions, now: Date): (SQL | undefined)[] {
  return [
    wanted.principal_type && eq(assignments.principalType, wanted.principal_type),
    wanted.principal_id === undefined ? undefined : eq(assignments.principalId, wanted.principal_id),
    wanted.scope_type && eq(assignments.scopeType, wanted.scope_type),
    wanted.scope_id === undefined ? undefined : eq(assignments.scopeId, wanted.scope_id),
    wanted.object_type && eq(assignments.objectType, wanted.object_type),
    wanted.object_id === undefined ? undefined : eq(assignments.objectId, wanted.object_id),
    wanted.role_id === undefined ? undefined : eq(assignments.roleId, wanted.role_id),
    wanted.include_expired ? undefined : or(isNull(assignments.expiresAt), gt(assignments.expiresAt, now)),
  ]
}

function isAfter(after: readonly string[] | undefined): SQL | undefined {
  if (!after) return undefined
  return sql`(${assignments.createdAt}, ${assignments.assignmentId}) < (${after[0]}::text::timestamptz, ${after[1]}::text::uuid)`
}
