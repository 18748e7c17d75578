import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Connection } from './connection.ts'
import { openPool } from './pool.ts'
import { findTestPostgres } from './testing.ts'

const ways = {
  'closed over TCP': ['tcp', 'destroy'],
  'reset over TCP': ['tcp', 'resetAndDestroy'],
  'closed on a unix socket': ['unix', 'destroy'],
} as const

test.each(Object.entries(ways))(
  'connections that are %s at any moment are opened again, and every query is answered or fails',
  async (_name, [kind, end]) => {
    const { connection } = await findTestPostgres()
    const way = await openWay(connection, kind, end)
    const options = { applicationName: 'cut', maxConnections: 3, statementTimeoutMs: 5_000 }
    const { sql, drain } = openPool(way.connection, options)
    onTestFinished(drain)
    const outcomes = new Set<unknown>()
    let asking = 0
    const ask = () => {
      asking += 1
      const settle = (outcome: unknown) => {
        asking -= 1
        outcomes.add(outcome)
      }
      sql`select 1 as one`.then(
        (rows) => settle(rows.length),
        ({ code }: { code?: unknown }) => settle(code),
      )
    }
    for (let round = 0; round < 20; round += 1) {
      await sql`select 1`.catch(() => undefined)
      way.cut()
      // From a timer, from an immediate and from in between: each at another point of the turn.
      for (let step = 0; step < 15; step += 1) {
        setTimeout(ask, step)
        setImmediate(ask)
        await sleep(1)
        ask()
      }
    }
    await vi.waitFor(() => expect(asking).toBe(0), 60_000)
    expect(outcomes).toContain(1)
    expect(outcomes).not.toContain(0)
    expect(outcomes).not.toContain('CONNECT_TIMEOUT')
  },
)

/** A way to the server on which all connections can be cut at once. */
async function openWay(
  to: Connection,
  kind: 'tcp' | 'unix',
  end: 'destroy' | 'resetAndDestroy',
): Promise<{ connection: Connection; cut(): void }> {
  const open = new Set<Socket>()
  const door = createServer((client) => {
    const server = to.host.startsWith('/') ? connect(join(to.host, `.s.PGSQL.${to.port}`)) : connect(to.port, to.host)
    open.add(client)
    for (const socket of [client, server]) {
      socket.on('error', () => undefined)
      socket.on('close', () => {
        open.delete(client)
        client.destroy()
        server.destroy()
      })
    }
    client.pipe(server).pipe(client)
  })
  onTestFinished(() => void door.close())
  const cut = () => {
    for (const client of open) client[end]()
  }
  if (kind === 'tcp') {
    await once(door.listen(0, '127.0.0.1'), 'listening')
    return { connection: { ...to, host: '127.0.0.1', port: (door.address() as AddressInfo).port }, cut }
  }
  const host = await mkdtemp(join(tmpdir(), 'svc-way-'))
  onTestFinished(() => rm(host, { recursive: true, force: true }))
  await once(door.listen(join(host, `.s.PGSQL.${to.port}`)), 'listening')
  return { connection: { ...to, host }, cut }
}
