import { setTimeout as sleep } from 'node:timers/promises'
import { type ExtractTablesWithRelations, sql } from 'drizzle-orm'
import { drizzle, type NodePgDatabase, type NodePgQueryResultHKT } from 'drizzle-orm/node-postgres'
import type { PgTransaction, PgTransactionConfig } from 'drizzle-orm/pg-core'
import type { Pool } from 'pg'
import type { Actor } from '../actor.ts'
import { type AuditEventInput, writeEvent } from '../audit/write-event.ts'
import { hasSqlState, retryable } from './sql-state.ts'

type Empty = Record<string, never>
export type Drizzle = NodePgDatabase<Empty>
export type DrizzleTransaction = PgTransaction<NodePgQueryResultHKT, Empty, ExtractTablesWithRelations<Empty>>

/** What `enqueue` needs of a job definition. `payload` is never read; it carries the type. */
export interface EnqueuableJob<Payload> {
  readonly name: string
  /** Runs until it counts as dead. */
  readonly maxAttempts?: number
  readonly payload?: Payload
}

export interface EnqueueOptions {
  readonly queue?: string
  readonly runAt?: Date
  readonly maxAttempts?: number
  /** Another job with the same key takes the place of the one that waits, as `keyMode` says. */
  readonly key?: string
  readonly keyMode?: 'replace' | 'preserve_run_at' | 'unsafe_dedupe'
  readonly priority?: number
}

export interface PublishedEvent {
  readonly topic: string
  readonly payload: unknown
}

export type Publisher = (tx: Tx, event: PublishedEvent) => Promise<void>

/** One transaction and whose it is. What is written, audited, enqueued and published here happens together or not at all. */
export interface Tx {
  readonly db: DrizzleTransaction
  readonly actor: Actor
  audit(event: AuditEventInput): Promise<string>
  enqueue<Payload>(job: EnqueuableJob<Payload>, payload: Payload, options?: EnqueueOptions): Promise<void>
  publish(event: PublishedEvent): Promise<void>
  /** Runs once, after a successful commit. A failure in it is reported and changes nothing for the caller. */
  afterCommit(run: () => void | Promise<void>): void
}

export interface TransactOptions {
  /** Default: read committed, as PostgreSQL's own. */
  readonly isolation?: 'read committed' | 'repeatable read' | 'serializable'
  readonly readOnly?: boolean
}

export type Transact = <Result>(
  actor: Actor,
  work: (tx: Tx) => Promise<Result>,
  options?: TransactOptions,
) => Promise<Result>

const maxAttempts = 5

export function createTransact(
  pool: Pool,
  publisher: () => Publisher,
  onProblem: (message: string, error: unknown) => void,
): Transact {
  return async (actor, work, options = {}) => {
    for (let attempt = 1; ; attempt++) {
      const afterCommit: (() => void | Promise<void>)[] = []
      try {
        const result = await runOnce(pool, options, (db) => work(createTx(db, actor, publisher(), afterCommit)))
        await runAfterCommit(afterCommit, onProblem)
        return result
      } catch (error) {
        if (attempt >= maxAttempts || !hasSqlState(error, retryable)) throw error
        await sleep(2 ** attempt * (1 + Math.random() * 4))
      }
    }
  }
}

/** Takes the connection itself: drizzle would never give one back to the pool on which BEGIN failed. */
async function runOnce<Result>(
  pool: Pool,
  options: TransactOptions,
  work: (db: DrizzleTransaction) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect()
  try {
    return await drizzle(client).transaction(work, drizzleConfig(options))
  } finally {
    client.release()
  }
}

/** Nothing at all when there is nothing to set: an empty object makes drizzle send an incomplete statement. */
function drizzleConfig({ isolation, readOnly }: TransactOptions): PgTransactionConfig | undefined {
  if (isolation === undefined && readOnly === undefined) return undefined
  return { isolationLevel: isolation ?? 'read committed', accessMode: readOnly === true ? 'read only' : 'read write' }
}

function createTx(
  db: DrizzleTransaction,
  actor: Actor,
  publisher: Publisher,
  afterCommit: (() => void | Promise<void>)[],
): Tx {
  const tx: Tx = {
    db,
    actor,
    audit: (event) => writeEvent(db, actor, event),
    enqueue: (job, payload, options) => addJob(db, job, payload, options),
    publish: (event) => publisher(tx, event),
    afterCommit: (run) => {
      afterCommit.push(run)
    },
  }
  return tx
}

async function addJob(
  db: DrizzleTransaction,
  job: EnqueuableJob<unknown>,
  payload: unknown,
  options: EnqueueOptions = {},
): Promise<void> {
  await db.execute(sql`select graphile_worker.add_job(
    identifier => ${job.name}::text,
    payload => ${JSON.stringify(payload ?? null)}::json,
    queue_name => ${options.queue ?? null}::text,
    run_at => ${options.runAt?.toISOString() ?? null}::timestamptz,
    max_attempts => ${options.maxAttempts ?? job.maxAttempts ?? null}::integer,
    job_key => ${options.key ?? null}::text,
    priority => ${options.priority ?? null}::integer,
    job_key_mode => ${options.keyMode ?? 'replace'}::text
  )`)
}

/** Fits payloads below PostgreSQL's 8000 bytes; `kernel/events` brings one without that limit. */
export const notifyPublisher: Publisher = async (tx, event) => {
  await tx.db.execute(sql`select pg_notify(${event.topic}, ${JSON.stringify(event.payload)})`)
}

async function runAfterCommit(
  runs: readonly (() => void | Promise<void>)[],
  onProblem: (message: string, error: unknown) => void,
): Promise<void> {
  for (const run of runs) {
    try {
      await run()
    } catch (error) {
      onProblem('A step after a committed transaction failed.', error)
    }
  }
}
