import { and, count, desc, eq, inArray, isNull, lt, or, sql } from 'drizzle-orm'
import type { Drizzle, DrizzleTransaction } from '../../kernel/database/index.ts'
import { projects } from '../schema.ts'

export type Db = Drizzle | DrizzleTransaction
export type ProjectRow = typeof projects.$inferSelect

export async function findProject(db: Db, projectId: string): Promise<ProjectRow | undefined> {
  const [row] = await db.select().from(projects).where(eq(projects.projectId, projectId))
  return row
}

export async function addProject(db: Db, project: typeof projects.$inferInsert): Promise<ProjectRow> {
  const [row] = await db.insert(projects).values(project).returning()
  if (!row) throw new Error('the new project was not written')
  return row
}

/** Of these projects the active ones, most recently changed first, from a position on. */
export async function listProjects(
  db: Db,
  ids: readonly string[],
  after: readonly string[] | undefined,
  limit: number,
): Promise<{ row: ProjectRow; updatedAtText: string }[]> {
  if (ids.length === 0) return []
  const [updatedAt, projectId] = after ?? []
  const rest =
    updatedAt === undefined
      ? undefined
      : sql`(${projects.updatedAt}, ${projects.projectId}) < (${updatedAt}::timestamptz, ${projectId}::uuid)`
  return db
    .select({ row: projects, updatedAtText: sql<string>`${projects.updatedAt}::text` })
    .from(projects)
    .where(and(inArray(projects.projectId, [...ids]), eq(projects.status, 'active'), rest))
    .orderBy(desc(projects.updatedAt), desc(projects.projectId))
    .limit(limit)
}

export async function changeProject(
  db: Db,
  projectId: string,
  change: Partial<typeof projects.$inferInsert>,
): Promise<ProjectRow | undefined> {
  const [row] = await db
    .update(projects)
    .set({ ...change, updatedAt: sql`now()` })
    .where(and(eq(projects.projectId, projectId), eq(projects.status, 'active')))
    .returning()
  return row
}

/** One key of the metadata; undefined removes it. The others stay, whoever writes them at the same time. */
export async function setMetadata(
  db: Db,
  projectId: string,
  key: string,
  value: string | undefined,
): Promise<ProjectRow | undefined> {
  const metadata =
    value === undefined
      ? sql`${projects.metadata} - ${key}::text`
      : sql`${projects.metadata} || jsonb_build_object(${key}::text, ${value}::text)`
  return setJson(db, projectId, { metadata })
}

/** One override; null removes it. */
export async function setFeatureOverride(
  db: Db,
  projectId: string,
  feature: string,
  enabled: boolean | null,
): Promise<ProjectRow | undefined> {
  const featureOverrides =
    enabled === null
      ? sql`${projects.featureOverrides} - ${feature}::text`
      : sql`${projects.featureOverrides} || jsonb_build_object(${feature}::text, ${enabled}::boolean)`
  return setJson(db, projectId, { featureOverrides })
}

async function setJson(
  db: Db,
  projectId: string,
  change: { metadata: ReturnType<typeof sql> } | { featureOverrides: ReturnType<typeof sql> },
): Promise<ProjectRow | undefined> {
  const [row] = await db
    .update(projects)
    .set({ ...change, updatedAt: sql`now()` })
    .where(and(eq(projects.projectId, projectId), eq(projects.status, 'active')))
    .returning()
  return row
}

/** At most once a minute: reading a project should not cost a write each time. */
export async function noteOpened(db: Db, projectId: string, now: Date): Promise<void> {
  const minuteAgo = new Date(now.getTime() - 60_000)
  await db
    .update(projects)
    .set({ lastOpenedAt: now })
    .where(
      and(eq(projects.projectId, projectId), or(isNull(projects.lastOpenedAt), lt(projects.lastOpenedAt, minuteAgo))),
    )
}

/** Counts under a lock of the account, so that two calls at once cannot both take the last place. */
export async function countActive(db: Db, accountId: string): Promise<number> {
  await db.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`projects of ${accountId}`}, 0))`)
  const [row] = await db
    .select({ total: count() })
    .from(projects)
    .where(and(eq(projects.accountId, accountId), eq(projects.status, 'active')))
  return row?.total ?? 0
}
