import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type ConnectedDatabase, connectDatabase } from '../connect-database.ts'
import { createEmptyTestDatabase } from '../testing.ts'
import { migrate } from './migrate.ts'
import { findMigrationsFolder, type Migration, readMigrations } from './read-migrations.ts'
import { splitStatements } from './split-statements.ts'

let drop: () => Promise<void>
let database: ConnectedDatabase
beforeEach(async () => {
  const empty = await createEmptyTestDatabase()
  drop = empty.drop
  database = connectDatabase(empty.connection, { maxConnections: 4 })
})
afterEach(async () => {
  await database.disconnect()
  await drop()
})

describe('migrations', () => {
  test('a database opened by every version in turn, with rows written at each, keeps them all', async () => {
    const migrations = await readMigrations()
    const written: string[] = []
    for (let count = 1; count <= migrations.length; count++) {
      await migrate(database.connection, migrations.slice(0, count))
      written.push(`at-${count}`)
      await database.sql`insert into svc.audit_events (event_id, action) values (gen_random_uuid(), ${`at-${count}`})`
    }
    await migrate(database.connection)
    const rows = await database.sql`select action from svc.audit_events`
    expect(rows.map((row) => row.action).sort()).toEqual(written.sort())
    expect(await versions(database)).toEqual(migrations.map(({ version }) => version))
  })

  test.each([0.1, 0.5, 0.9])(
    'a database with rows at %f of the way opens with the current code at once',
    async (share) => {
      const migrations = await readMigrations()
      await migrate(database.connection, migrations.slice(0, Math.max(1, Math.floor(migrations.length * share))))
      await database.sql`insert into svc.audit_events (event_id, action) values (gen_random_uuid(), 'earlier')`
      await migrate(database.connection)
      expect((await database.sql`select action from svc.audit_events`).map((row) => row.action)).toEqual(['earlier'])
      expect(await versions(database)).toEqual(migrations.map(({ version }) => version))
    },
  )

  test('a database newer than the code is refused and left untouched', async () => {
    const known = [migration(1, 'create table svc.a (id int)')]
    const newer = [...known, migration(2, 'create table svc.b (id int)')]
    await migrate(database.connection, newer)
    const before = await catalog()
    await expect(migrate(database.connection, known)).rejects.toMatchObject({
      name: 'StartError',
      message: 'The database is newer than the code: it is at version 2, this server knows 1.',
    })
    expect(await catalog()).toEqual(before)
  })

  test('an applied migration that was edited is refused, and nothing later is applied', async () => {
    await migrate(database.connection, [migration(1, 'create table svc.a (id int)')])
    const edited = [migration(1, 'create table svc.a (id bigint)'), migration(2, 'create table svc.b (id int)')]
    await expect(migrate(database.connection, edited)).rejects.toThrow('Migration 0001-test.sql is not the one')
    expect(await versions(database)).toEqual([1])
  })

  test('a migration numbered below what the database already has is refused', async () => {
    await migrate(database.connection, [migration(1, 'select 1'), migration(3, 'select 3')])
    const late = [migration(1, 'select 1'), migration(2, 'select 2'), migration(3, 'select 3')]
    await expect(migrate(database.connection, late)).rejects.toThrow('0002-test.sql is new')
  })

  test('a failing migration rolls back whole, names file, line and reason, and leaves the earlier ones', async () => {
    const bad = migration(2, 'create table svc.b (id int);\n\ninsert into svc.b\nselect nothing;\nselect 1')
    await expect(migrate(database.connection, [migration(1, 'create table svc.a (id int)'), bad])).rejects.toThrow(
      /0002-test\.sql failed at line 4: column "nothing" does not exist/,
    )
    expect(await versions(database)).toEqual([1])
    const [row] = await database.sql`select to_regclass('svc.b') as b`
    expect(row?.b).toBeNull()
    await migrate(database.connection, [
      migration(1, 'create table svc.a (id int)'),
      migration(2, 'create table svc.b (id int)'),
    ])
    expect(await versions(database)).toEqual([1, 2])
  })

  test('servers that start at once apply each migration once', async () => {
    const slow = [
      migration(1, 'create table svc.a (id int); select pg_sleep(0.1)'),
      migration(2, 'insert into svc.a values (1)'),
    ]
    const others = [1, 2, 3].map(() => connectDatabase(database.connection, { maxConnections: 2 }))
    await Promise.all([database, ...others].map(({ connection }) => migrate(connection, slow)))
    expect(await database.sql`select id from svc.a`).toHaveLength(1)
    await Promise.all(others.map((other) => other.disconnect()))
  })

  test('the folder is found from the sources and from a bundle in dist', async () => {
    const fromSources = findMigrationsFolder()
    const server = join(fromSources, '..')
    expect(findMigrationsFolder(join(server, 'dist', 'main.mjs'))).toBe(fromSources)
    expect((await readMigrations(fromSources))[0]?.file).toBe('0001-kernel.sql')
  })

  test('a file that controls the transaction, has a wrong name or a used number is refused', async () => {
    const cases: Record<string, Record<string, string>> = {
      'may not control it': { '0001-a.sql': 'create table x (id int);\nCOMMIT;' },
      'must look like': { 'one.sql': 'select 1' },
      'number used twice': { '0001-a.sql': 'select 1', '0001-b.sql': 'select 1' },
    }
    for (const [reason, files] of Object.entries(cases)) {
      const folder = await mkdtemp(join(tmpdir(), 'svc-migrations-'))
      for (const [file, text] of Object.entries(files)) await writeFile(join(folder, file), text)
      await expect(readMigrations(folder)).rejects.toThrow(reason)
      await rm(folder, { recursive: true })
    }
  })
})

function migration(version: number, text: string): Migration {
  const checksum = createHash('sha256').update(text).digest('hex')
  const file = `${String(version).padStart(4, '0')}-test.sql`
  return { version, name: 'test', file, checksum, statements: splitStatements(text) }
}

async function versions({ sql }: ConnectedDatabase): Promise<number[]> {
  const rows = await sql<{ version: number }[]>`select version from svc.schema_migrations order by version`
  return rows.map(({ version }) => version)
}

async function catalog(): Promise<unknown> {
  const tables =
    await database.sql`select oid, relname, xmin from pg_class where relnamespace = 'svc'::regnamespace order by 1`
  return [tables, await database.sql`select *, xmin from svc.schema_migrations order by version`]
}
