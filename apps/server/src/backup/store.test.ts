import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Connection, parseConnectionString } from '../kernel/database/index.ts'
import { createTestDatabase } from '../kernel/database/testing.ts'
import { copyOut, openSession, readSnapshot } from './store.ts'

let database: Awaited<ReturnType<typeof createTestDatabase>>
let connection: Connection
beforeAll(async () => {
  database = await createTestDatabase()
  connection = parseConnectionString(database.connectionString)
})
afterAll(() => database?.close())

test('tables of every size are read to their end, one after the other, by a reader of any speed', async () => {
  const sizes = [0, 1, 100, 15_000, 16_384, 20_000, 33_000, 60_000, 65_536, 70_000, 300_000, 2_000_000]
  for (const size of sizes) {
    await database.sql.unsafe(`create table svc.sized_${size} as
      select repeat('x', least(1000, ${size} - at)) as line from generate_series(0, ${size} - 1, 1000) at`)
  }
  const sql = await openSession(connection)
  const read = await readSnapshot(sql, async (snapshot) => {
    const found: number[] = []
    for (const size of sizes) {
      let bytes = 0
      for await (const piece of copyOut(snapshot, { name: `svc.sized_${size}`, columns: ['line'] })) {
        bytes += piece.filter((byte) => byte === 120).length
        if (size > 60_000) await new Promise((resolve) => setImmediate(resolve))
      }
      found.push(bytes)
      await snapshot`select 1`
    }
    return found
  })
  await sql.end()
  expect(read).toEqual(sizes)
})
