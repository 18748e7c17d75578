import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ConnectOptions, connectDatabase } from './connect-database.ts'
import type { Connection } from './connection.ts'
import type { Database } from './open-database.ts'
import { openPool } from './pool.ts'

/** The file in which the test run's PostgreSQL announces itself; `tests/support/postgres.ts` sets it. */
export const testPostgresVariable = 'SVC_TEST_POSTGRES'

/** What that file holds: where the server is, or why there is none. */
export type TestPostgres = { readonly connection: Connection; readonly template: string } | { readonly failure: string }

/** A fresh, migrated database that nobody else uses. `close` drops it. */
export async function createTestDatabase(options: ConnectOptions = {}): Promise<Database> {
  const server = await findTestPostgres()
  const name = `test_${randomBytes(8).toString('hex')}`
  await administer(server.connection, `create database ${name} template ${server.template} strategy file_copy`)
  const connection = { ...server.connection, database: name }
  const { disconnect, ...connected } = connectDatabase(connection, { maxConnections: 6, ...options })
  return {
    ...connected,
    phases: { lockMs: 0, initdbMs: 0, startMs: 0, connectMs: 0, migrateMs: 0 },
    state: () => 'ready',
    postgresPid: () => undefined,
    async close() {
      await disconnect()
      await administer(server.connection, `drop database if exists ${name} with (force)`)
    },
  }
}

/** An empty database beside the template, for tests of the migrations themselves. */
export async function createEmptyTestDatabase(): Promise<{ connection: Connection; drop(): Promise<void> }> {
  const { connection } = await findTestPostgres()
  const name = `test_${randomBytes(8).toString('hex')}`
  await administer(connection, `create database ${name} template template0`)
  return {
    connection: { ...connection, database: name },
    drop: () => administer(connection, `drop database if exists ${name} with (force)`),
  }
}

/** The server starts while the first tests load, so the first to need it may have to wait. */
export async function findTestPostgres(): Promise<Exclude<TestPostgres, { failure: string }>> {
  const file = process.env[testPostgresVariable]
  if (file === undefined) throw new Error('No test PostgreSQL: run through vitest, whose global setup starts it.')
  const deadline = performance.now() + 170_000
  while (!existsSync(file)) {
    if (performance.now() > deadline) throw new Error('The test PostgreSQL did not get ready within three minutes.')
    await sleep(20)
  }
  const found: TestPostgres = JSON.parse(readFileSync(file, 'utf8'))
  if ('failure' in found) throw new Error(`The test PostgreSQL did not start: ${found.failure}`)
  return found
}

async function administer(connection: Connection, statement: string): Promise<void> {
  const pool = openPool(connection, { applicationName: 'svc test', maxConnections: 1, statementTimeoutMs: 60_000 })
  await pool.sql.unsafe(statement).finally(() => pool.drain())
}
