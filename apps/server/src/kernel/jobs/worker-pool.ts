import { EventEmitter } from 'node:events'
import type { Runner, TaskList, WorkerEvents } from 'graphile-worker'
import type { Sql } from 'postgres'
import type { Clock } from '../clock/index.ts'
import { type HeldConnection, holdConnection } from '../events/index.ts'
import type { Logger } from '../log/index.ts'
import { lockPool, reapPool } from './reap-lost-pools.ts'
import { createWorkerLog } from './worker-log.ts'

export interface WorkerPoolOptions {
  sql: Sql
  connectionString: string
  tasks: TaskList
  concurrency: number
  pollIntervalMs: number
  /** How long a running job may go on after a stop before its signal is aborted. */
  abortAfterMs: number
  log: Logger
  clock: Clock
}

export interface WorkerPool {
  readonly id: string
  /** Settles when the pool has ended, by `stop` or by itself. */
  readonly ended: Promise<void>
  /** Lets running jobs finish. */
  stop(): Promise<void>
  /** Gives running jobs back at once; what they still do here is no longer theirs to finish. */
  abandon(): Promise<void>
}

/** A pool takes no job while it does not hold its lock, so no reaper can mistake it for a dead one. */
export async function startWorkerPool(options: WorkerPoolOptions): Promise<WorkerPool> {
  const { run } = await import('graphile-worker')
  const events: WorkerEvents = new EventEmitter()
  let lock: HeldConnection | undefined
  let poolId = ''
  events.once('pool:create', ({ workerPool }) => {
    poolId = workerPool.id
    lock = holdLock(options, workerPool.id)
  })
  const runner = await run({
    connectionString: options.connectionString,
    taskList: options.tasks,
    concurrency: options.concurrency,
    maxPoolSize: options.concurrency,
    pollInterval: options.pollIntervalMs,
    gracefulShutdownAbortTimeout: options.abortAfterMs,
    noHandleSignals: true,
    // Batches are flushed before the pool ends; single completions are not, and a drained job would run twice.
    preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
    parsedCronItems: [],
    logger: await createWorkerLog(options.log),
    events,
    // Asked before every fetch, and waited for: the one hook where a fetch can be held back.
    forbiddenFlags: async () => {
      await lock?.connected()
      return null
    },
  })
  return {
    id: poolId,
    ended: runner.promise.finally(() => lock?.stop()),
    stop: () => endRunner(runner, lock),
    async abandon() {
      await lock?.stop()
      await reapPool(options.sql, poolId)
    },
  }
}

function holdLock({ sql, log, clock }: WorkerPoolOptions, poolId: string): HeldConnection {
  return holdConnection({ sql, name: 'job pool', log, clock, onConnect: (session) => lockPool(session, poolId) })
}

/** The lock is given back last: until then the jobs that still run here belong to a live pool. */
async function endRunner(runner: Runner, lock: HeldConnection | undefined): Promise<void> {
  await runner.stop()
  await runner.promise
  await lock?.stop()
}
