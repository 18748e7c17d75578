import { and, asc, desc, eq, gt, isNotNull, lt, sql } from 'drizzle-orm'
import type { Drizzle, DrizzleTransaction } from '../kernel/database/index.ts'
import { changeRequests } from './schema.ts'

export type Db = Drizzle | DrizzleTransaction
export type ChangeRequestRow = typeof changeRequests.$inferSelect
export type ChangeRequestStatus = ChangeRequestRow['status']

export async function findRequest(db: Db, projectId: string, crId: string): Promise<ChangeRequestRow | undefined> {
  const [row] = await db
    .select()
    .from(changeRequests)
    .where(and(eq(changeRequests.crId, crId), eq(changeRequests.projectId, projectId)))
  return row
}

/** The same, held until the transaction ends. */
export async function lockRequest(db: Db, projectId: string, crId: string): Promise<ChangeRequestRow | undefined> {
  const [row] = await db
    .select()
    .from(changeRequests)
    .where(and(eq(changeRequests.crId, crId), eq(changeRequests.projectId, projectId)))
    .for('update')
  return row
}

export async function listRequests(
  db: Db,
  projectId: string,
  filter: { status: ChangeRequestStatus | undefined; below: number | undefined; limit: number },
): Promise<ChangeRequestRow[]> {
  return db
    .select()
    .from(changeRequests)
    .where(
      and(
        eq(changeRequests.projectId, projectId),
        filter.status === undefined ? undefined : eq(changeRequests.status, filter.status),
        filter.below === undefined ? undefined : lt(changeRequests.number, filter.below),
      ),
    )
    .orderBy(desc(changeRequests.number))
    .limit(filter.limit)
}

/** Takes the project's next number. The lock of the project makes numbers follow each other without a gap. */
export async function addRequest(
  db: Db,
  request: Omit<typeof changeRequests.$inferInsert, 'number'>,
): Promise<ChangeRequestRow> {
  await db.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`change requests of ${request.projectId}`}, 0))`)
  const [last] = await db
    .select({ number: sql<number>`coalesce(max(${changeRequests.number}), 0)::int` })
    .from(changeRequests)
    .where(eq(changeRequests.projectId, request.projectId))
  const [row] = await db
    .insert(changeRequests)
    .values({ ...request, number: (last?.number ?? 0) + 1 })
    .returning()
  if (!row) throw new Error('the new change request was not written')
  return row
}

export async function changeRequest(
  db: Db,
  crId: string,
  change: Partial<typeof changeRequests.$inferInsert>,
): Promise<ChangeRequestRow> {
  const [row] = await db
    .update(changeRequests)
    .set({ ...change, updatedAt: sql`now()` })
    .where(eq(changeRequests.crId, crId))
    .returning()
  if (!row) throw new Error('the change request is gone')
  return row
}

/** Adds one entry to a list in the metadata, whoever else adds one at the same time. */
export async function appendToMetadata(
  db: Db,
  crId: string,
  list: 'comments' | 'requested_changes',
  entry: { text: string; by: string; at: string },
): Promise<ChangeRequestRow> {
  const [row] = await db
    .update(changeRequests)
    .set({
      metadata: sql`jsonb_set(${changeRequests.metadata}, array[${list}::text],
        coalesce(${changeRequests.metadata} -> ${list}::text, '[]'::jsonb) || ${JSON.stringify([entry])}::jsonb)`,
      updatedAt: sql`now()`,
    })
    .where(eq(changeRequests.crId, crId))
    .returning()
  if (!row) throw new Error('the change request is gone')
  return row
}

/** Tips that were looked up; the record's own time does not move for it. */
export async function noteTips(db: Db, crId: string, baseSha: string | null, headSha: string | null): Promise<void> {
  await db
    .update(changeRequests)
    .set({ baseCommitSha: baseSha, headCommitSha: headSha })
    .where(and(eq(changeRequests.crId, crId), eq(changeRequests.status, 'open')))
}

/** Merges that were cut off, a page at a time. */
export async function listIntents(db: Db, after: string | undefined, limit: number): Promise<ChangeRequestRow[]> {
  return db
    .select()
    .from(changeRequests)
    .where(and(isNotNull(changeRequests.mergeIntent), after === undefined ? undefined : gt(changeRequests.crId, after)))
    .orderBy(asc(changeRequests.crId))
    .limit(limit)
}
