import { and, desc, eq, lt, sql } from 'drizzle-orm'
import type { Drizzle, DrizzleTransaction } from '../../kernel/database/index.ts'
import { accessRequests } from '../schema.ts'

export type RequestRow = typeof accessRequests.$inferSelect
export type ListedRequest = RequestRow & { readonly email: string }
type Db = Drizzle | DrizzleTransaction

/** Undefined when the person waits already. */
export async function addRequest(db: Db, row: typeof accessRequests.$inferInsert): Promise<RequestRow | undefined> {
  const [added] = await db.insert(accessRequests).values(row).onConflictDoNothing().returning()
  return added
}

export async function findPendingRequest(db: Db, projectId: string, userId: string): Promise<RequestRow | undefined> {
  const [row] = await db
    .select()
    .from(accessRequests)
    .where(
      and(
        eq(accessRequests.projectId, projectId),
        eq(accessRequests.requesterUserId, userId),
        eq(accessRequests.status, 'pending'),
      ),
    )
  return row
}

export async function lockRequest(
  db: DrizzleTransaction,
  projectId: string,
  requestId: string,
): Promise<RequestRow | undefined> {
  const [row] = await db
    .select()
    .from(accessRequests)
    .where(and(eq(accessRequests.requestId, requestId), eq(accessRequests.projectId, projectId)))
    .for('update')
  return row
}

export async function reviewRequest(
  db: DrizzleTransaction,
  requestId: string,
  review: Pick<RequestRow, 'status' | 'reviewedBy' | 'reviewedAt' | 'updatedAt'>,
): Promise<RequestRow> {
  const [row] = await db.update(accessRequests).set(review).where(eq(accessRequests.requestId, requestId)).returning()
  if (!row) throw new Error('a locked request is gone')
  return row
}

/** Pending ones, newest first; ids rise with time. */
export async function listPendingRequests(
  db: Db,
  projectId: string,
  { beforeId, limit }: { beforeId: string | undefined; limit: number },
): Promise<ListedRequest[]> {
  const email = sql<string>`(select email from svc.users where user_id = ${accessRequests.requesterUserId})`
  const rows = await db
    .select({ row: accessRequests, email })
    .from(accessRequests)
    .where(
      and(
        eq(accessRequests.projectId, projectId),
        eq(accessRequests.status, 'pending'),
        beforeId === undefined ? undefined : lt(accessRequests.requestId, beforeId),
      ),
    )
    .orderBy(desc(accessRequests.requestId))
    .limit(limit)
  return rows.map(({ row, email: address }) => ({ ...row, email: address }))
}
