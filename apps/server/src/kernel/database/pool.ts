import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { arrayTypeOptions } from './array-types.ts'
import type { Connection } from './connection.ts'

export type Sql = postgres.Sql

export interface PoolOptions {
  readonly applicationName: string
  readonly maxConnections: number
  readonly statementTimeoutMs: number
}

export interface Pool {
  readonly sql: Sql
  /** Lets running queries finish, for a while, and closes every connection. */
  drain(): Promise<void>
}

/** Queries that run longer than this after the end was asked for are cut off, so that a stop has an end. */
const drainTimeoutMs = 15_000
/** A query that was sent a moment ago may still wait for its connection's socket to be made. */
const connectingGraceMs = 50
const closeDelayMs = 10

export function openPool(connection: Connection, options: PoolOptions): Pool {
  const sockets = new Set<Socket>()
  const { sslmode, ...parameters } = connection.parameters ?? {}
  const driverOptions = {
    host: connection.host,
    port: connection.port,
    user: connection.user,
    database: connection.database,
    ...(connection.password === undefined ? {} : { password: connection.password }),
    ...sslOptions(sslmode),
    max: options.maxConnections,
    idle_timeout: 60,
    connect_timeout: 10,
    // A restarting database is back within a second; the driver's own waits grow to twenty.
    backoff: (attempt: number) => Math.min(0.05 * 2 ** attempt, 1) * (0.75 + Math.random() / 2),
    onnotice: () => undefined,
    fetch_types: false,
    types: arrayTypeOptions,
    socket: () => openSocket(connection, sockets),
    connection: {
      ...parameters,
      application_name: options.applicationName,
      statement_timeout: options.statementTimeoutMs,
      idle_in_transaction_session_timeout: Math.max(60_000, options.statementTimeoutMs),
    },
  }
  const sql = postgres(driverOptions)
  sql.reserve = () => reserveAlone(postgres({ ...driverOptions, max: 1 }))
  return { sql, drain: () => drain(sql, sockets) }
}

/**
 * A reserved connection is the only one of a client of its own, and open before it is reserved: without `fetch_types` the
 * driver never hands out a connection that it opens for the purpose.
 */
async function reserveAlone(client: Sql): Promise<postgres.ReservedSql> {
  try {
    await client`select 1`
    const session = await client.reserve()
    const release = session.release
    return Object.assign(session, {
      release() {
        release()
        client.end({ timeout: 5 }).catch(() => undefined)
      },
    })
  } catch (error) {
    await client.end({ timeout: 0 })
    throw error
  }
}

/**
 * The driver's own `end` waits for ever for a connection that was cut in the middle of a query, which is every stop
 * after a crash of PostgreSQL. So the pool knows its sockets, and is drained when the last one has closed.
 */
async function drain(sql: Sql, sockets: ReadonlySet<Socket>): Promise<void> {
  let ended = false
  const finished = sql.end().then(() => {
    ended = true
  })
  const deadline = performance.now() + drainTimeoutMs
  let lastOpenAt = performance.now()
  while (!ended && performance.now() < deadline) {
    if (sockets.size > 0) lastOpenAt = performance.now()
    if (performance.now() - lastOpenAt > connectingGraceMs) break
    await Promise.race([sleep(5), finished])
  }
  for (const socket of sockets) socket.destroy()
}

/** Not yet connected: what the driver writes waits in it, and a failure to connect reaches the driver as an error of it. */
function openSocket({ host, port }: Connection, sockets: Set<Socket>): Socket {
  const socket = host.startsWith('/') ? connect(join(host, `.s.PGSQL.${port}`)) : connect(port, host)
  sockets.add(socket)
  socket.once('close', () => sockets.delete(socket))
  closeInOrder(socket)
  // The driver reads the name to check a certificate against from here.
  return Object.assign(socket, { host, port })
}

/**
 * The driver forgets its socket at `close` and then fails on it, in a place nobody can catch, when it has yet to write:
 * a statement it has put off to the end of the turn, or the ROLLBACK of a transaction that learns of the loss. So the
 * loss is told as an error first, and as a close when those writes have gone to the dead socket, which swallows them.
 * What was asked in between is told the loss too: the driver would take it along to the next socket, where it is never
 * sent and either waits for ever or is answered by the first thing that comes.
 */
function closeInOrder(socket: Socket): void {
  const emit = socket.emit.bind(socket)
  const tellLoss = () => emit('error', new Error('The connection to the database was lost.'))
  socket.emit = (event: string | symbol, ...args: unknown[]): boolean => {
    if (event !== 'close') return emit(event, ...args)
    setImmediate(() => {
      if (args[0] !== true) tellLoss()
      setTimeout(() => {
        writeInsteadOfCancelling(() => {
          tellLoss()
          emit('close', ...args)
        })
      }, closeDelayMs)
    })
    return true
  }
}

/**
 * At `close` the driver cancels a write that waits for the end of the turn, and then believes for ever that it waits: of
 * that connection's next socket nothing is ever written, and each query on it takes the ten seconds of a connection that
 * does not come about (postgres.js 3.4.9). What it cancels here is written instead, into the dead socket. Nothing but
 * the driver's own cleaning up runs meanwhile.
 */
function writeInsteadOfCancelling(close: () => void): void {
  const cancel = globalThis.clearImmediate
  globalThis.clearImmediate = (waiting) => {
    const isWaiting = waiting && typeof waiting === 'object' && '_onImmediate' in waiting
    const write = isWaiting ? waiting._onImmediate : undefined
    cancel(waiting)
    if (typeof write === 'function') write()
  }
  try {
    close()
  } finally {
    globalThis.clearImmediate = cancel
  }
}

function sslOptions(mode: string | undefined): { ssl?: 'require' | 'allow' | 'prefer' | 'verify-full' } {
  if (mode === 'require' || mode === 'allow' || mode === 'prefer' || mode === 'verify-full') return { ssl: mode }
  return mode === 'verify-ca' ? { ssl: 'verify-full' } : {}
}
