import { sql } from 'drizzle-orm'
import { afterAll, expect, test } from 'vitest'
import { createTestDatabase } from './testing.ts'

const databases = await Promise.all([createTestDatabase(), createTestDatabase()])
afterAll(() => Promise.all(databases.map((database) => database.close())))

test('two test databases share nothing and both are migrated', async () => {
  const [first, second] = databases
  await first.sql`create table public.mine (id int)`
  const { rows } = await second.db.execute(
    sql`select to_regclass('public.mine') as mine, to_regclass('svc.audit_events') as audit`,
  )
  expect(rows[0]).toEqual({ mine: null, audit: 'svc.audit_events' })
})
