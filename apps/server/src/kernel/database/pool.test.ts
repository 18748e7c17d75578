import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import type { Connection } from './connection.ts'
import { openPool } from './pool.ts'
import { findTestPostgres } from './testing.ts'

test('connections that are cut at any moment, also while a query is about to be written, are all opened again', async () => {
  const { connection } = await findTestPostgres()
  const way = await openWay(connection)
  const { sql, drain } = openPool(way.connection, {
    applicationName: 'cut',
    maxConnections: 3,
    statementTimeoutMs: 5_000,
  })
  onTestFinished(drain)
  const codes = new Set<unknown>()
  const asking = new Set<Promise<unknown>>()
  const ask = () => {
    const asked: Promise<unknown> = sql`select 1`.then(
      () => asking.delete(asked),
      (error: { code?: unknown }) => {
        codes.add(error.code)
        asking.delete(asked)
      },
    )
    asking.add(asked)
  }
  for (let round = 0; round < 30; round += 1) {
    await sql`select 1`.catch(() => undefined)
    way.cut()
    // From a timer, from what was read and from an immediate: each at another point of the turn.
    for (let step = 0; step < 15; step += 1) {
      setTimeout(ask, step)
      setImmediate(ask)
      await sleep(1)
    }
  }
  await Promise.all(asking)
  expect(codes).not.toContain('CONNECT_TIMEOUT')
})

/** A way to the server on which all connections can be cut at once. */
async function openWay(to: Connection): Promise<{ connection: Connection; cut(): void }> {
  const open = new Set<Socket>()
  const door = createServer((client) => {
    const server = to.host.startsWith('/') ? connect(join(to.host, `.s.PGSQL.${to.port}`)) : connect(to.port, to.host)
    for (const socket of [client, server]) {
      open.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        open.delete(socket)
        client.destroy()
        server.destroy()
      })
    }
    client.pipe(server).pipe(client)
  }).listen(0, '127.0.0.1')
  await once(door, 'listening')
  onTestFinished(() => void door.close())
  const cut = () => {
    for (const socket of open) socket.destroy()
  }
  return { connection: { ...to, host: '127.0.0.1', port: (door.address() as AddressInfo).port }, cut }
}
