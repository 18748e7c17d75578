import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { systemActor } from '../actor.ts'
import { connectDatabase } from './connect-database.ts'
import { connectionString, parseConnectionString } from './connection.ts'
import type { Database } from './open-database.ts'
import { createTestDatabase } from './testing.ts'

describe('the address of a database', () => {
  test.each([
    { host: '/var/run/pg', port: 5432, user: 'a b', password: 'p@ss/word', database: 'data base' },
    { host: 'db.example.com', port: 6432, user: 'svc', database: 'svc', parameters: { sslmode: 'require' } },
    { host: '::1', port: 5432, user: 'svc', database: 'svc' },
  ])('is the same after writing and reading it: $host', (connection) => {
    expect(parseConnectionString(connectionString(connection))).toEqual(connection)
  })

  test.each(['', 'nonsense', 'mysql://a/b'])('that is none (%j) is refused with an example', (text) => {
    expect(() => parseConnectionString(text)).toThrow('DATABASE_URL is not the address')
  })
})

describe('a connected database', () => {
  test('gives dates as Date on the raw client although drizzle changes its own', async () => {
    const database = await createTestDatabase()
    const [row] = await database.sql`select now() as now`
    expect(row?.now).toBeInstanceOf(Date)
    await database.close()
  })

  test('takes and gives arrays on the raw client', async () => {
    const database = await createTestDatabase()
    const texts = ['plain', 'with "quotes"', 'back\\slash', '{braces},', '', 'NULL']
    const id = '6f0f1c1e-36d1-4c5e-9a57-5b2f2f1f7c01'
    const [row] = await database.sql`select ${texts}::text[] as texts, ${[1, 2]}::int[] as numbers,
      ${id} = any(${[id]}::uuid[]) as found, array[true, false] as flags, array[now()] as times, ${[]}::text[] as none`
    expect(row).toMatchObject({ texts, numbers: [1, 2], found: true, flags: [true, false], none: [] })
    expect(row?.times[0]).toBeInstanceOf(Date)
    await database.close()
  })

  test('ends a statement that runs too long, and names itself to the server', async () => {
    const database = await createTestDatabase()
    const impatient = connectDatabase(database.connection, { statementTimeoutMs: 500, applicationName: 'impatient' })
    await expect(impatient.sql`select pg_sleep(10)`).rejects.toThrow('statement timeout')
    const [row] = await impatient.sql`select current_setting('application_name') as name`
    expect(row?.name).toBe('impatient raw')
    await impatient.disconnect()
    await database.close()
  })

  test('works again after its connections were cut', async () => {
    const database = await createTestDatabase()
    await Promise.all([database.sql`select 1`, database.sql`select 1`])
    await cutOthers(database)
    await expect.poll(() => database.sql`select 1 as one`.then((rows) => rows[0]?.one)).toBe(1)
    await database.close()
  })

  test('a transaction that loses its connection fails whole, and so does what it tries afterwards', async () => {
    const database = await createTestDatabase()
    await database.sql`create table public.kept (id int)`
    const afterwards: Promise<unknown>[] = []
    const cut = database.transact(systemActor, async (tx) => {
      await tx.db.execute(sql`insert into public.kept values (1)`)
      await cutOthers(database)
      await tx.db.execute(sql`insert into public.kept values (2)`).catch(() => undefined)
      await sleep(50)
      afterwards.push(tx.db.execute(sql`insert into public.kept values (3)`))
      await Promise.allSettled(afterwards)
    })
    await expect(cut).rejects.toThrow()
    await expect(afterwards[0]).rejects.toThrow()
    expect(await database.sql`select id from public.kept`).toHaveLength(0)
    await database.transact(systemActor, (tx) => tx.db.execute(sql`insert into public.kept values (4)`))
    await database.close()
  })

  test('the raw client outlives the loss of a connection in the middle of its work', async () => {
    const database = await createTestDatabase()
    const lost = database.sql.begin(async (tx) => {
      await tx`select 1`
      await Promise.all([tx`select pg_sleep(5)`, sleep(50).then(() => cutOthers(database))])
    })
    await expect(lost).rejects.toThrow()
    const busy = Array.from({ length: 50 }, (_, index) =>
      database.sql`select ${index}::int, pg_sleep(0.05)`.catch(() => 0),
    )
    await cutOthers(database)
    await Promise.all(busy)
    // Every connection of the pool works again.
    await expect
      .poll(() =>
        Promise.all(Array.from({ length: 20 }, () => database.sql`select pg_sleep(0.02)`)).then(({ length }) => length),
      )
      .toBe(20)
    await database.close()
  })

  test('reserved connections of the raw client are apart from each other and are given back', async () => {
    const database = await createTestDatabase()
    const sessions = await Promise.all([1, 2, 3].map(() => database.sql.reserve()))
    const pids = await Promise.all(
      sessions.map(async (session) => (await session`select pg_backend_pid() as pid`)[0]?.pid),
    )
    expect(new Set(pids).size).toBe(3)
    for (const session of sessions) session.release()
    await expect
      .poll(async () => (await database.sql`select pid from pg_stat_activity where pid = any(${pids}::int[])`).length)
      .toBe(0)
    await database.close()
  })

  test('closing waits for a running query', async () => {
    const database = await createTestDatabase()
    const running = database.sql`select pg_sleep(0.2), 7 as seven`.execute()
    const closing = database.close()
    expect((await running)[0]?.seven).toBe(7)
    await closing
  })
})

async function cutOthers({ connection }: Database): Promise<void> {
  const other = connectDatabase(connection)
  await other.sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`
  await other.disconnect()
}
