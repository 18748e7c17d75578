import pg from 'pg'
import { StartError } from '../../start-error.ts'
import { type Connection, connectionString } from '../connection.ts'
import { type Migration, readMigrations } from './read-migrations.ts'
import type { Statement } from './split-statements.ts'

/** One number for every server that shares a database; the digits spell nothing. */
const migrationLock = 7_240_118_350

interface AppliedMigration {
  readonly version: number
  readonly name: string
  readonly checksum: string
}

/**
 * Brings the database to the newest version the code knows, one transaction per file, one server at a time. Refuses,
 * before it has touched anything, a database that this code does not understand.
 */
export async function migrate(connection: Connection, migrations?: readonly Migration[]): Promise<void> {
  const known = migrations ?? (await readMigrations())
  const session = new pg.Client({ connectionString: connectionString(connection), application_name: 'svc migrate' })
  // A connection that breaks makes the statement on it fail, which is where it is told.
  session.on('error', () => undefined)
  await session.connect()
  try {
    // Held until the connection ends.
    await session.query('select pg_advisory_lock($1)', [migrationLock])
    const applied = await readApplied(session)
    checkHistory(applied, known)
    const highest = Math.max(0, ...applied.map(({ version }) => version))
    for (const migration of known) if (migration.version > highest) await apply(session, migration)
  } finally {
    await session.end()
  }
}

async function readApplied(session: pg.Client): Promise<AppliedMigration[]> {
  const found = await session.query(`select to_regclass('svc.schema_migrations') is not null as present`)
  if (found.rows[0]?.present !== true) return []
  const text = 'select version, name, checksum from svc.schema_migrations order by version'
  return (await session.query<AppliedMigration>(text)).rows
}

function checkHistory(applied: readonly AppliedMigration[], known: readonly Migration[]): void {
  const newest = Math.max(0, ...known.map(({ version }) => version))
  const highest = Math.max(0, ...applied.map(({ version }) => version))
  if (highest > newest) {
    throw new StartError(
      `The database is newer than the code: it is at version ${highest}, this server knows ${newest}.`,
      'Start the newer server again. To go back, restore a backup that the older server made.',
    )
  }
  for (const { version, name, checksum } of applied) {
    const migration = known.find((one) => one.version === version)
    if (migration === undefined) {
      throw new StartError(
        `The database holds migration ${version} (${name}), which this server does not have.`,
        'Start the server that made this database, or one newer than it.',
      )
    }
    if (migration.checksum !== checksum) {
      throw new StartError(
        `Migration ${migration.file} is not the one this database was made with.`,
        'Start the version of the code that made this database. A migration that has landed is never edited.',
      )
    }
  }
  const late = known.find(({ version }) => version < highest && !applied.some((one) => one.version === version))
  if (late !== undefined) {
    throw new StartError(
      `Migration ${late.file} is new, but the database is already at version ${highest}.`,
      `Give it a number above ${newest}.`,
    )
  }
}

async function apply(session: pg.Client, migration: Migration): Promise<void> {
  await session.query('begin')
  try {
    await session.query('create schema if not exists svc')
    await session.query(`create table if not exists svc.schema_migrations (
      version integer primary key,
      name text not null,
      checksum text not null,
      applied_at timestamptz not null default now()
    )`)
    for (const statement of migration.statements) await runStatement(session, migration, statement)
    const { version, name, checksum } = migration
    await session.query('insert into svc.schema_migrations (version, name, checksum) values ($1, $2, $3)', [
      version,
      name,
      checksum,
    ])
    await session.query('commit')
  } catch (error) {
    await session.query('rollback')
    throw error
  }
}

async function runStatement(session: pg.Client, migration: Migration, statement: Statement): Promise<void> {
  try {
    await session.query(statement.text)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const position = error instanceof Error && 'position' in error ? Number(error.position) : Number.NaN
    const offset = Number.isInteger(position) ? statement.text.slice(0, position).split('\n').length - 1 : 0
    throw new StartError(
      `Migration ${migration.file} failed at line ${statement.line + offset}: ${reason} ` +
        `(in: ${statement.text.slice(0, 120).replaceAll(/\s+/g, ' ')})`,
      'The database was left as it was before this migration. Report this, or start the server you had before.',
      { cause: error },
    )
  }
}
