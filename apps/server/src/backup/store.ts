import { pipeline } from 'node:stream/promises'
import postgres from 'postgres'
import type { Connection } from '../kernel/database/index.ts'

type Session = postgres.Sql
type Snapshot = postgres.TransactionSql

const schemas = ['svc', 'graphile_worker']

/** A connection of its own, without the time limits of the server's. */
export async function openSession(connection: Connection): Promise<Session> {
  const { host, port, user, database, password, parameters } = connection
  const { sslmode, ...rest } = parameters ?? {}
  const sql = postgres({
    host,
    port,
    user,
    database,
    ...(password === undefined ? {} : { password }),
    ...(sslmode === undefined || sslmode === 'disable' ? {} : { ssl: 'require' as const }),
    max: 1,
    connect_timeout: 5,
    fetch_types: false,
    onnotice: () => undefined,
    connection: {
      ...rest,
      application_name: 'svc backup',
      statement_timeout: 0,
      idle_in_transaction_session_timeout: 0,
    },
  })
  try {
    await sql`select 1`
    return sql
  } catch (error) {
    await sql.end({ timeout: 0 })
    throw error
  }
}

/** Everything read inside is of one moment, however long it takes; nobody waits for it. */
export async function readSnapshot<Result>(sql: Session, read: (snapshot: Snapshot) => Promise<Result>) {
  return sql.begin('isolation level repeatable read read only', read)
}

export interface Table {
  /** With its schema, as people write it. */
  readonly name: string
  readonly columns: readonly string[]
}

/** Without the two that say which migrations have run: those are run again. */
export async function listTables(sql: Session | Snapshot): Promise<Table[]> {
  return sql<Table[]>`
    select n.nspname || '.' || c.relname as name, json_agg(a.attname::text order by a.attnum) as columns
    from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid
    where n.nspname in ${sql(schemas)} and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped
      and a.attgenerated = '' and c.relname not in ('schema_migrations', 'migrations')
    group by n.nspname, c.relname order by 1`
}

export async function* copyOut(snapshot: Snapshot, table: Table): AsyncGenerator<Uint8Array> {
  const rows = await snapshot.unsafe(`copy ${target(table)} to stdout`).readable()
  yield* rows
  // The driver stops listening to the server while this stream is full. When the end came along with what filled it,
  // nothing would make it listen again, and the next query would wait for ever.
  rows._read(0)
}

export async function listMigrations(snapshot: Snapshot) {
  return snapshot<{ version: number; name: string; checksum: string }[]>`
    select version, name, checksum from svc.schema_migrations order by version`
}

/** Those of the projects there are. One that is being made belongs to no project yet, and its attempt is undone. */
export async function listRepositories(snapshot: Snapshot): Promise<string[]> {
  const rows = await snapshot<{ id: string }[]>`select project_id as id from svc.repositories order by project_id`
  return rows.map(({ id }) => id)
}

export async function listSequences(snapshot: Snapshot): Promise<{ name: string; last_value: string }[]> {
  return snapshot<{ name: string; last_value: string }[]>`
    select quote_ident(schemaname) || '.' || quote_ident(sequencename) as name, last_value::text
    from pg_sequences where schemaname in ${snapshot(schemas)} and last_value is not null order by 1`
}

export async function holdsPlatform(sql: Session): Promise<boolean> {
  const [row] = await sql<{ present: boolean }[]>`select to_regnamespace('svc') is not null as present`
  return row?.present === true
}

export async function dropPlatform(sql: Session): Promise<void> {
  await sql.unsafe(`drop schema if exists ${schemas.join(', ')} cascade`)
}

/**
 * One transaction that fills the empty tables. Triggers and references are not checked: the rows come from a database
 * that had checked them, and nothing that happened once may happen again.
 */
export async function fillTables<Result>(sql: Session, fill: (filling: Snapshot) => Promise<Result>) {
  return sql.begin(async (filling) => {
    await filling`set local session_replication_role = replica`
    const names = (await listTables(filling)).map((table) => quote(table.name))
    await filling.unsafe(`truncate ${names.join(', ')}`)
    const result = await fill(filling)
    // Whoever held a job is not here to finish it.
    await filling`update graphile_worker._private_jobs set locked_at = null, locked_by = null where locked_at is not null`
    await filling`
      update graphile_worker._private_job_queues set locked_at = null, locked_by = null where locked_at is not null`
    return result
  })
}

export async function copyIn(filling: Snapshot, table: Table, pieces: AsyncIterable<Buffer>): Promise<void> {
  await pipeline(pieces, await filling.unsafe(`copy ${target(table)} from stdin`).writable())
}

export async function setSequence(filling: Snapshot, name: string, lastValue: string): Promise<void> {
  await filling`select setval(${name}::text::regclass, ${lastValue}::text::bigint)`
}

export async function countRows(sql: Session | Snapshot, table: string): Promise<number> {
  const [row] = await sql.unsafe<{ rows: string }[]>(`select count(*)::text as rows from ${quote(table)}`)
  return Number(row?.rows)
}

function target({ name, columns }: Table): string {
  return `${quote(name)} (${columns.map(quoteIdentifier).join(', ')})`
}

const quote = (name: string) => name.split('.').map(quoteIdentifier).join('.')
const quoteIdentifier = (name: string) => `"${name.replaceAll('"', '""')}"`
