import { createServer, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { databaseCheck } from './check-database.ts'
import { connectDatabase } from './connect-database.ts'
import { createTestDatabase } from './testing.ts'

test('a database that answers is ok', async () => {
  const database = await createTestDatabase()
  expect(await databaseCheck(database).read()).toMatchObject({ status: 'ok' })
  await database.close()
})

test('a database that takes connections and never answers is down, not awaited, and asked once', async () => {
  const sockets: Socket[] = []
  const silent = createServer((socket) => void sockets.push(socket))
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  const address = silent.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const { sql } = connectDatabase({ host: '127.0.0.1', port: address.port, user: 'svc', database: 'svc' })
  const database = { sql, state: () => 'external' as const }
  const answers = await Promise.all(Array.from({ length: 5 }, () => databaseCheck(database, 300).read()))
  for (const answer of answers)
    expect(answer).toMatchObject({ status: 'down', detail: expect.stringContaining('external') })
  expect(sockets.length).toBe(1)
  await sql.end({ timeout: 0 }).catch(() => undefined)
  for (const socket of sockets) socket.destroy()
  silent.close()
})
