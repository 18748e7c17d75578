import type { Sql } from '../pool.ts'

/**
 * `tx.enqueue` needs graphile-worker's schema before any worker has run. Its own upgrades are run by the worker at its
 * start; the library is slow to load, so it is only loaded for a database that has no schema at all.
 */
export async function migrateJobQueue(sql: Sql, connectionString: string): Promise<void> {
  const [found] = await sql`select to_regclass('graphile_worker.migrations') is not null as present`
  if (found?.present === true) return
  const { Logger, runMigrations } = await import('graphile-worker')
  await runMigrations({ connectionString, logger: new Logger(() => () => undefined) })
}
