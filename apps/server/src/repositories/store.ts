import { and, asc, eq, gt, inArray, sql } from 'drizzle-orm'
import type { Drizzle, DrizzleTransaction } from '../kernel/database/index.ts'
import { repositories } from './schema.ts'

export type Db = Drizzle | DrizzleTransaction
export type RepositoryRow = typeof repositories.$inferSelect
export type NewRepository = typeof repositories.$inferInsert

export async function findRepository(db: Db, projectId: string): Promise<RepositoryRow | undefined> {
  const [row] = await db.select().from(repositories).where(eq(repositories.projectId, projectId))
  return row
}

export async function findRepositories(db: Db, projectIds: readonly string[]): Promise<RepositoryRow[]> {
  if (projectIds.length === 0) return []
  return db
    .select()
    .from(repositories)
    .where(inArray(repositories.projectId, [...projectIds]))
}

export async function addRepository(db: Db, row: NewRepository): Promise<RepositoryRow> {
  const [added] = await db.insert(repositories).values(row).returning()
  if (!added) throw new Error('the new repository was not written')
  return added
}

export async function isNameTaken(db: Db, accountId: string, repoName: string): Promise<boolean> {
  const [row] = await db
    .select({ projectId: repositories.projectId })
    .from(repositories)
    .where(
      and(
        eq(repositories.accountId, accountId),
        eq(repositories.kind, 'managed'),
        eq(sql`lower(${repositories.repoName})`, repoName.toLowerCase()),
      ),
    )
  return row !== undefined
}

export async function changeRepository(
  db: Db,
  projectId: string,
  change: Partial<NewRepository>,
): Promise<RepositoryRow | undefined> {
  const [row] = await db
    .update(repositories)
    .set({ ...change, updatedAt: sql`now()` })
    .where(eq(repositories.projectId, projectId))
    .returning()
  return row
}

/** Ids in their own order, a page at a time, for jobs that visit every repository. */
export async function listRepositoryIds(db: Db, after: string | undefined, limit: number): Promise<string[]> {
  const rows = await db
    .select({ projectId: repositories.projectId })
    .from(repositories)
    .where(after === undefined ? undefined : gt(repositories.projectId, after))
    .orderBy(asc(repositories.projectId))
    .limit(limit)
  return rows.map(({ projectId }) => projectId)
}
