import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '../../kernel/database/index.ts'
import { createTestDatabase } from '../../kernel/database/testing.ts'
import { newId } from '../../kernel/ids/index.ts'
import { createSealer } from '../seal/sealer.ts'
import { findScanEnd, listEvents } from '../store/events.ts'

let database: Database
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.close())

test('a search reads a bounded part of the log at a time and finds everything over its pages', async () => {
  const accountId = newId()
  const { sql } = database
  await sql`
    insert into svc.audit_events (event_id, occurred_at, account_id, action)
    select gen_random_uuid(), now() - n * interval '1 second', ${accountId}, case when n % 40 = 0 then 'a.needle' else 'a.straw' end
    from generate_series(1, 200) n`
  await createSealer(database).sealChain(accountId)
  const filters = { q: 'NEEDLE', action: 'a.' }
  const counts: number[] = []
  let after: Parameters<typeof findScanEnd>[3]
  for (;;) {
    counts.push((await listEvents(sql, accountId, filters, { after, limit: 10 }, 60)).length)
    const end = await findScanEnd(sql, accountId, filters, after, 60)
    if (!end) break
    after = { occurredAt: end.occurred_at, eventId: end.event_id }
  }
  expect(counts).toEqual([1, 2, 1, 1])
})
