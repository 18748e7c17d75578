import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '../../kernel/database/index.ts'
import { createTestDatabase } from '../../kernel/database/testing.ts'
import { newId } from '../../kernel/ids/index.ts'
import { bundleScript, startScript } from '../../kernel/jobs/testing/run-script.ts'
import { firstPreviousHash, hashRecord } from '../event-record.ts'
import { listSequences, readEvents } from '../store/events.ts'
import { createSealer } from './sealer.ts'

const rounds = process.env.SVC_TEST_LONG ? 20 : 2

let database: Database
beforeAll(async () => {
  database = await createTestDatabase()
  await database.sql`create table public.things (id bigserial primary key)`
})
afterAll(() => database.close())

test('a process killed while it writes and seals leaves every change with its event and a chain with no gap', async () => {
  const accountId = newId()
  const script = await bundleScript(new URL('../testing/writing-node.ts', import.meta.url))
  const acknowledged: string[] = []
  for (let round = 0; round < rounds; round += 1) {
    const node = startScript(script, { url: database.connectionString, accountId })
    node.child.on('message', (message: { acknowledged: string }) => acknowledged.push(message.acknowledged))
    const goal = acknowledged.length + 40 + round * 7
    await expect.poll(() => acknowledged.length, { interval: 5 }).toBeGreaterThan(goal)
    node.kill('SIGKILL')
    await node.exited
  }
  await createSealer(database).sealChain(accountId)

  const sequences = await listSequences(database.sql, accountId, {}, { after: 0, head: 1_000_000, limit: 1_000_000 })
  const events = await readEvents(database.sql, accountId, sequences)
  const things = await database.sql<{ id: string }[]>`select id::text from public.things`
  expect(events.map((event) => event.resource_id).sort()).toEqual(things.map(({ id }) => id).sort())
  const stored = new Set(things.map(({ id }) => id))
  expect(acknowledged.filter((id) => !stored.has(id))).toEqual([])
  let previous = firstPreviousHash
  for (const [index, event] of events.entries()) {
    expect([event.sequence, event.previous_hash, event.hash]).toEqual([index + 1, previous, hashRecord(event)])
    previous = event.hash
  }
})
