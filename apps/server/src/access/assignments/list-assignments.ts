import type { Drizzle } from '../../kernel/database/index.ts'
import { decodeCursor, invalid, pageSize } from '../../kernel/http/index.ts'
import { type AssignmentConditions, type ListedAssignment, listAssignmentRows } from '../store/assignment-pages.ts'

export interface AssignmentFilter extends AssignmentConditions {
  readonly cursor?: string | undefined
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
  const after = decodeCursor(filter.cursor, ['time', 'uuid'])
  return listAssignmentRows(db, accountId, filter, { after, limit: pageSize + 1, now })
}
