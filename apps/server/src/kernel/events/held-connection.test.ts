import { expect, onTestFinished, test } from 'vitest'
import { createTestDatabase } from '../database/testing.ts'
import { createLogger, createMemoryWriter } from '../log/index.ts'
import { holdConnection } from './held-connection.ts'

test('a connection that is cut while it is made ready is opened again, also when that never ends', async () => {
  const { sql, close } = await createTestDatabase()
  onTestFinished(close)
  let opened = 0
  const held = holdConnection({
    sql,
    name: 'test',
    log: createLogger({ writer: createMemoryWriter() }),
    async onConnect(session) {
      opened += 1
      const [own] = await session<{ pid: number }[]>`select pg_backend_pid() as pid`
      if (opened > 1) return
      await sql`select pg_terminate_backend(${own?.pid ?? 0})`
      await new Promise(() => undefined)
    },
  })
  await held.connected()
  expect([opened, held.isConnected()]).toEqual([2, true])
  await held.stop()
})
