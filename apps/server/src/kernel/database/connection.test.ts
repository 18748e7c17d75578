import { describe, expect, test } from 'vitest'
import { connectDatabase } from './connect-database.ts'
import { connectionString, parseConnectionString } from './connection.ts'
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

  test('ends a statement that runs too long, and names itself to the server', async () => {
    const database = await createTestDatabase()
    const impatient = connectDatabase(database.connection, { statementTimeoutMs: 50, applicationName: 'impatient' })
    await expect(impatient.sql`select pg_sleep(10)`).rejects.toThrow('statement timeout')
    const [row] = await impatient.sql`select current_setting('application_name') as name`
    expect(row?.name).toBe('impatient raw')
    await impatient.disconnect()
    await database.close()
  })

  test('works again after its connections were cut', async () => {
    const database = await createTestDatabase()
    await Promise.all([database.sql`select 1`, database.sql`select 1`])
    const other = connectDatabase(database.connection)
    await other.sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`
    await other.disconnect()
    await expect.poll(() => database.sql`select 1 as one`.then((rows) => rows[0]?.one)).toBe(1)
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
