import { drizzle } from 'drizzle-orm/postgres-js'
import { type Connection, connectionString } from './connection.ts'
import { openPool, type Sql } from './pool.ts'
import { createTransact, type Drizzle, notifyPublisher, type Publisher, type Transact } from './transact.ts'

export interface ConnectOptions {
  readonly applicationName?: string
  readonly maxConnections?: number
  readonly statementTimeoutMs?: number
  /** How `tx.publish` sends. May also be given later by `usePublisher`. */
  readonly publisher?: Publisher
  /** Told about failures nobody waits for. */
  readonly onProblem?: (message: string, error: unknown) => void
}

/** Two pools on one database: `drizzle()` changes the client it is given (dates become strings), so raw SQL has its own. */
export interface ConnectedDatabase {
  readonly db: Drizzle
  /** Raw client: LISTEN, advisory locks, hot prepared statements. Dates are `Date`s here. */
  readonly sql: Sql
  readonly connection: Connection
  /** The same address in one string, for graphile-worker. */
  readonly connectionString: string
  readonly transact: Transact
  usePublisher(publisher: Publisher): void
  /** Waits for running queries, then closes every connection. */
  disconnect(): Promise<void>
}

export function connectDatabase(connection: Connection, options: ConnectOptions = {}): ConnectedDatabase {
  const applicationName = options.applicationName ?? 'svc'
  const statementTimeoutMs = options.statementTimeoutMs ?? 30_000
  const maxConnections = options.maxConnections ?? 20
  const client = openPool(connection, { applicationName, statementTimeoutMs, maxConnections })
  const raw = openPool(connection, {
    applicationName: `${applicationName} raw`,
    statementTimeoutMs,
    maxConnections: Math.max(2, Math.ceil(maxConnections / 2)),
  })
  let publisher = options.publisher ?? notifyPublisher
  const db = drizzle(client.sql)
  const onProblem = options.onProblem ?? ((message, error) => console.error(message, error))
  return {
    db,
    sql: raw.sql,
    connection,
    connectionString: connectionString(connection),
    transact: createTransact(db, () => publisher, onProblem),
    usePublisher(next) {
      publisher = next
    },
    async disconnect() {
      await Promise.all([client.drain(), raw.drain()])
    },
  }
}
