import { mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connectDatabase } from '../../apps/server/src/kernel/database/connect-database.ts'
import { signal } from '../../apps/server/src/kernel/database/embedded/leftovers.ts'
import { throwawaySettings } from '../../apps/server/src/kernel/database/embedded/settings.ts'
import { type EmbeddedPostgres, startPostgres } from '../../apps/server/src/kernel/database/embedded/start-postgres.ts'
import { migrate } from '../../apps/server/src/kernel/database/migrations/migrate.ts'
import { migrateJobQueue } from '../../apps/server/src/kernel/database/migrations/migrate-job-queue.ts'
import { type TestPostgres, testPostgresVariable } from '../../apps/server/src/kernel/database/testing.ts'

const prefix = 'svc-test-postgres-'
const template = 'svc_template'
const startTimeoutMs = 30_000

/**
 * One PostgreSQL for the whole test run. It starts beside the tests, so a run that needs no database does not wait for
 * it. It dies with this process, however that ends.
 */
export function setup(): (() => Promise<void>) | undefined {
  // Vitest asks once for itself and once for each of its projects.
  const own = `${prefix}${process.pid}-`
  if (process.env[testPostgresVariable]?.includes(own)) return undefined
  removeAbandoned()
  const directory = mkdtempSync(join(tmpdir(), own))
  const announcement = join(directory, 'announcement.json')
  process.env[testPostgresVariable] = announcement

  const announce = (content: TestPostgres) => {
    writeFileSync(`${announcement}.draft`, JSON.stringify(content))
    renameSync(`${announcement}.draft`, announcement)
  }
  let postgres: EmbeddedPostgres | undefined
  const started = (async () => {
    postgres = await startPostgres({ dataDirectory: directory, settings: throwawaySettings, durable: false })
    await migrateTemplate(postgres)
    announce({ connection: postgres.connection, template })
  })().catch((error: unknown) => announce({ failure: error instanceof Error ? error.message : String(error) }))

  const endAtExit = () => {
    const pid = postgres?.pid()
    if (pid !== undefined) signal(pid, 'SIGINT')
  }
  process.once('exit', endAtExit)

  return async () => {
    // Bounded: a template that never gets ready must fail the tests that want it, not hang the run.
    const timeout = new AbortController()
    await Promise.race([started, sleep(startTimeoutMs, undefined, { signal: timeout.signal }).catch(() => undefined)])
    timeout.abort()
    await postgres?.stop()
    process.removeListener('exit', endAtExit)
    rmSync(directory, { recursive: true, force: true })
  }
}

async function migrateTemplate({ connection }: EmbeddedPostgres): Promise<void> {
  const admin = connectDatabase(connection)
  await admin.sql.unsafe(`create database ${template} template template0`)
  await admin.disconnect()
  const database = connectDatabase({ ...connection, database: template })
  await migrate(database.connection)
  await migrateJobQueue(database.sql, database.connectionString)
  await database.disconnect()
}

/** A run that was killed could not remove its folder; its PostgreSQL has died with it. */
function removeAbandoned(): void {
  for (const name of readdirSync(tmpdir())) {
    const pid = new RegExp(`^${prefix}(\\d+)-`).exec(name)?.[1]
    if (pid !== undefined && !isAlive(Number(pid))) rmSync(join(tmpdir(), name), { recursive: true, force: true })
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
