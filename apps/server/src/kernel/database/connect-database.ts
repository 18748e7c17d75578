import { drizzle } from 'drizzle-orm/node-postgres'
import { type Connection, connectionString } from './connection.ts'
import { openPool, type Sql } from './pool.ts'
import { createTransact, type Drizzle, notifyPublisher, type Publisher, type Transact } from './transact.ts'
import { openTransactionPool } from './transaction-pool.ts'

export interface ConnectOptions {
  readonly applicationName?: string
  readonly maxConnections?: number
  readonly statementTimeoutMs?: number
  /** How `tx.publish` sends. May also be given later by `usePublisher`. */
  readonly publisher?: Publisher
  /** Told about failures nobody waits for. */
  readonly onProblem?: (message: string, error: unknown) => void
}

/** Two pools on one database: one for drizzle and transactions, one for raw SQL. */
export interface ConnectedDatabase {
  readonly db: Drizzle
  /**
   * Raw client: single statements, LISTEN, hot prepared statements. Dates are `Date`s here. No `begin` on it: a
   * transaction is `transact`, which alone survives the loss of its connection.
   */
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
  const transactions = openTransactionPool(connection, { applicationName, statementTimeoutMs, maxConnections })
  const raw = openPool(connection, {
    applicationName: `${applicationName} raw`,
    statementTimeoutMs,
    maxConnections: Math.max(2, Math.ceil(maxConnections / 2)),
  })
  let publisher = options.publisher ?? notifyPublisher
  const db = drizzle(transactions.pool)
  const onProblem = options.onProblem ?? ((message, error) => console.error(message, error))
  return {
    db,
    sql: raw.sql,
    connection,
    connectionString: connectionString(connection),
    transact: createTransact(transactions.pool, () => publisher, onProblem),
    usePublisher(next) {
      publisher = next
    },
    async disconnect() {
      await Promise.all([transactions.drain(), raw.drain()])
    },
  }
}
