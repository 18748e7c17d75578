import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { type Connection, connectionString } from './connection.ts'
import type { PoolOptions } from './pool.ts'

export interface TransactionPool {
  readonly pool: pg.Pool
  drain(): Promise<void>
}

const drainTimeoutMs = 15_000

/**
 * The pool under drizzle and every transaction. It is node-postgres and not postgres.js, because a connection lost in the
 * middle of a transaction only makes that transaction fail here; postgres.js 3.4 then ends the process, or sends the rest
 * of the dead transaction over a connection that somebody else uses by now.
 */
export function openTransactionPool(connection: Connection, options: PoolOptions): TransactionPool {
  const pool = new pg.Pool({
    connectionString: connectionString(connection),
    application_name: options.applicationName,
    max: options.maxConnections,
    statement_timeout: options.statementTimeoutMs,
    idle_in_transaction_session_timeout: Math.max(60_000, options.statementTimeoutMs),
    idleTimeoutMillis: 60_000,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
  })
  // The loss of an idle connection concerns nobody: the pool has dropped it and opens another when one is needed.
  pool.on('error', () => undefined)
  // A connection may also break while it is checked out and no query runs on it; the next query on it says so.
  pool.on('connect', (client) => client.on('error', () => undefined))
  return {
    pool,
    async drain() {
      const timeout = new AbortController()
      const late = sleep(drainTimeoutMs, undefined, { signal: timeout.signal }).catch(() => undefined)
      await Promise.race([pool.end(), late])
      timeout.abort()
    },
  }
}
