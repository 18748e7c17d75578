import { and, desc, eq, getTableColumns, inArray, lt, sql } from 'drizzle-orm'
import { sandboxBuilds } from '../schema.ts'
import type { Db } from './templates.ts'

export type BuildRow = typeof sandboxBuilds.$inferSelect
const { log: _, ...withoutLog } = getTableColumns(sandboxBuilds)

export type NewBuild = typeof sandboxBuilds.$inferInsert

export async function findBuild(db: Db, buildId: string): Promise<BuildRow | undefined> {
  const [row] = await db.select().from(sandboxBuilds).where(eq(sandboxBuilds.buildId, buildId))
  return row
}

/** Newest first, without the logs. */
export async function listBuilds(db: Db, projectId: string, limit: number): Promise<BuildRow[]> {
  const rows = await db
    .select(withoutLog)
    .from(sandboxBuilds)
    .where(eq(sandboxBuilds.projectId, projectId))
    .orderBy(desc(sandboxBuilds.startedAt), desc(sandboxBuilds.buildId))
    .limit(limit)
  return rows.map((row) => ({ ...row, log: '' }))
}

/** The newest build of each of these images with each provider. */
export async function listLatestBuilds(
  db: Db,
  projectId: string,
  snapshotNames: readonly string[],
): Promise<BuildRow[]> {
  if (snapshotNames.length === 0) return []
  const rows = await db
    .selectDistinctOn([sandboxBuilds.provider, sandboxBuilds.snapshotName], withoutLog)
    .from(sandboxBuilds)
    .where(and(eq(sandboxBuilds.projectId, projectId), inArray(sandboxBuilds.snapshotName, [...snapshotNames])))
    .orderBy(
      sandboxBuilds.provider,
      sandboxBuilds.snapshotName,
      desc(sandboxBuilds.startedAt),
      desc(sandboxBuilds.buildId),
    )
  return rows.map((row) => ({ ...row, log: '' }))
}

/** A build that runs already is returned in place of a second one of the same image. */
export async function addBuild(db: Db, build: NewBuild): Promise<{ row: BuildRow; isNew: boolean }> {
  for (let attempt = 0; attempt < 3; attempt++) {
    const [added] = await db.insert(sandboxBuilds).values(build).onConflictDoNothing().returning()
    if (added) return { row: added, isNew: true }
    const [running] = await db
      .select()
      .from(sandboxBuilds)
      .where(
        and(
          eq(sandboxBuilds.projectId, build.projectId),
          eq(sandboxBuilds.provider, build.provider),
          eq(sandboxBuilds.snapshotName, build.snapshotName),
          eq(sandboxBuilds.status, 'building'),
        ),
      )
    // It may have ended between the two statements; then there is room for a new one.
    if (running) return { row: running, isNew: false }
  }
  throw new Error('the build could not be written')
}

/** Only one that still runs: an ended build stays as it ended. */
export async function endBuild(
  db: Db,
  buildId: string,
  end: { status: 'ready' } | { status: 'failed'; error: string; errorCategory: NonNullable<BuildRow['errorCategory']> },
): Promise<void> {
  await db
    .update(sandboxBuilds)
    .set({ ...end, finishedAt: sql`now()` })
    .where(and(eq(sandboxBuilds.buildId, buildId), eq(sandboxBuilds.status, 'building')))
}

export async function writeBuildLog(db: Db, buildId: string, log: string): Promise<void> {
  await db.update(sandboxBuilds).set({ log }).where(eq(sandboxBuilds.buildId, buildId))
}

/** Builds whose job is gone for good: nothing runs that long. */
export async function failAbandonedBuilds(db: Db, before: Date): Promise<number> {
  const ended = await db
    .update(sandboxBuilds)
    .set({
      status: 'failed',
      error: 'The build was cut off and never finished.',
      errorCategory: 'timeout',
      finishedAt: sql`now()`,
    })
    .where(and(eq(sandboxBuilds.status, 'building'), lt(sandboxBuilds.startedAt, before)))
    .returning({ id: sandboxBuilds.buildId })
  return ended.length
}

/** The oldest of a project beyond what is kept. */
export async function cleanBuilds(db: Db, keptPerProject: number): Promise<void> {
  await db.execute(sql`
    delete from svc.sandbox_builds where build_id in (
      select build_id from (
        select build_id, status, row_number() over (partition by project_id order by started_at desc, build_id desc) as n
        from svc.sandbox_builds) ranked
      where n > ${keptPerProject} and status <> 'building')`)
}
