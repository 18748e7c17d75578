import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { join } from 'node:path'
import { sql as raw } from 'drizzle-orm'
import { expect, onTestFinished, test } from 'vitest'
import { systemActor } from '../actor.ts'
import { connectDatabase } from './connect-database.ts'
import type { Connection } from './connection.ts'
import { isDatabaseLost } from './is-database-lost.ts'
import { findTestPostgres } from './testing.ts'

test('a server that is away is told from a fault by what either pool throws', async () => {
  const { connection } = await findTestPostgres()
  const door = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
  await once(door, 'listening')
  const { port } = door.address() as AddressInfo
  const hangsUp = { ...connection, host: '127.0.0.1', port }
  const asked = await ask(hangsUp, 'select 1')
  door.close()
  await once(door, 'close')
  const unreachable = [
    ...(await ask(hangsUp, 'select 1')),
    await failureOf(once(connect(port, '127.0.0.1'), 'connect')),
  ]
  const nowhere = { ...connection, host: '/nonexistent' }

  expect(sort(asked, hangsUp)).toEqual({ lost: 3, other: [] })
  expect(sort(unreachable, hangsUp)).toEqual({ lost: 4, other: [] })
  expect(sort(await ask(nowhere, 'select 1'), nowhere)).toEqual({ lost: 3, other: [] })
  const ended = await ask(connection, 'select pg_terminate_backend(pg_backend_pid())')
  expect(sort(ended, connection)).toEqual({ lost: 3, other: [] })

  const faults = [...(await ask(connection, 'select 1/0')), ...unreachable.slice(-1), new TypeError('no'), 'no']
  expect(sort(faults, connection)).toMatchObject({ lost: 0 })
})

test.each(['begin', 'select 1', 'commit'])(
  'a connection that breaks when it hears "%s" is away, not at fault',
  async (word) => {
    const { connection } = await findTestPostgres()
    const breaking = await relay(connection, word)
    const failures = (await ask(breaking, 'select 1')).filter((error) => !isUnbroken(error))
    expect(sort(failures, breaking)).toEqual({ lost: word === 'select 1' ? 3 : 1, other: [] })
  },
)

/** A way to the server whose connections are reset as soon as a client says this word. */
async function relay(to: Connection, word: string): Promise<Connection> {
  const door = createServer((client) => {
    const server = to.host.startsWith('/') ? connect(join(to.host, `.s.PGSQL.${to.port}`)) : connect(to.port, to.host)
    for (const socket of [client, server]) socket.on('error', () => undefined)
    client.on('data', (piece) => {
      if (!piece.toString('latin1').includes(word)) return void server.write(piece)
      client.resetAndDestroy()
      server.destroy()
    })
    server.on('data', (piece) => client.write(piece))
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void door.close())
  await once(door, 'listening')
  return { ...to, host: '127.0.0.1', port: (door.address() as AddressInfo).port }
}

/** How one statement fails through each pool, and in a transaction. */
async function ask(connection: Connection, statement: string): Promise<unknown[]> {
  const { sql, db, transact, disconnect } = connectDatabase(connection, { onProblem: () => undefined })
  onTestFinished(disconnect)
  return [
    await failureOf(sql.unsafe(statement)),
    await failureOf(db.execute(raw.raw(statement))),
    await failureOf(transact(systemActor, (tx) => tx.db.execute(raw.raw(statement)))),
  ]
}

const unbroken = new Error('it did not fail')
const isUnbroken = (error: unknown) => error === unbroken

const failureOf = (work: PromiseLike<unknown>) =>
  Promise.resolve(work).then(
    () => unbroken,
    (error: unknown) => error,
  )

function sort(errors: unknown[], connection: Connection) {
  const other = errors.filter((error) => !isDatabaseLost(error, connection))
  return { lost: errors.length - other.length, other }
}
