import type { TaskList } from 'graphile-worker'
import type { Sql } from 'postgres'
import { type Clock, systemClock } from '../clock/index.ts'
import type { Logger } from '../log/index.ts'
import type { RunnableJob } from './define-job.ts'
import { keepPool } from './keep-pool.ts'
import { createReaper } from './reap-lost-pools.ts'
import { repeat } from './repeat.ts'
import { createTask } from './run-job.ts'
import { fireDueSlots, registerSchedules, type Schedule } from './schedule/index.ts'
import { createWorkerLog } from './worker-log.ts'
import { startWorkerPool } from './worker-pool.ts'

export interface JobsOptions {
  sql: Sql
  /** The same database in one string, for graphile-worker. */
  connectionString: string
  log: Logger
  jobs: readonly RunnableJob[]
  schedules?: readonly Schedule[]
  /** Jobs that run at once on this node. */
  concurrency?: number
  /** Only retries and future jobs wait for a poll; a new job starts at once. */
  pollIntervalMs?: number
  /** How often lost nodes are looked for. Their jobs run again after at most two of these. */
  reapIntervalMs?: number
  /** How long `stop` waits for running jobs; half of it before their signals are aborted. */
  drainTimeoutMs?: number
  clock?: Clock
}

export interface Jobs {
  /** The name this node's jobs are locked by; another after the pool had to be started again. */
  poolId(): string
  /** Takes no new job, lets running ones finish, then returns. Jobs past the drain time run again elsewhere. */
  stop(): Promise<void>
}

const SCHEDULE_TICK_MS = 500

export async function startJobs(options: JobsOptions): Promise<Jobs> {
  const { sql, log, clock = systemClock, drainTimeoutMs = 20_000, schedules = [] } = options
  await migrateQueue(options)
  await registerSchedules(sql, schedules, clock.now())

  const open = () =>
    startWorkerPool({
      sql,
      connectionString: options.connectionString,
      tasks: createTasks(options),
      concurrency: options.concurrency ?? 10,
      pollIntervalMs: options.pollIntervalMs ?? 2_000,
      abortAfterMs: Math.floor(drainTimeoutMs / 2),
      log,
      clock,
    })
  const pool = await keepPool({ open, drainTimeoutMs, log, clock })
  const reap = createReaper(sql)
  const reaping = repeat(
    { name: 'the reaper of lost nodes', everyMs: options.reapIntervalMs ?? 2_000, log, clock },
    async () => {
      const reaped = await reap()
      if (reaped.length > 0) log.warn('jobs of lost nodes run again', { pools: reaped })
    },
  )
  const ticking = repeat({ name: 'the scheduler', everyMs: SCHEDULE_TICK_MS, log, clock }, async () => {
    await fireDueSlots(sql, schedules, clock.now())
  })

  return {
    poolId: pool.id,
    async stop() {
      await Promise.all([reaping.stop(), ticking.stop()])
      await pool.stop()
    },
  }
}

function createTasks({ jobs, sql, log }: JobsOptions): TaskList {
  const tasks: TaskList = {}
  for (const job of jobs) {
    if (tasks[job.name]) throw new Error(`Two jobs are named ${job.name}.`)
    tasks[job.name] = createTask(job, sql, log)
  }
  return tasks
}

const MIGRATION_LOCK = 'svc.jobs.migrate'

/** graphile-worker's own upgrades, one node at a time. */
async function migrateQueue({ sql, connectionString, log }: JobsOptions): Promise<void> {
  const { runMigrations } = await import('graphile-worker')
  const session = await sql.reserve()
  try {
    await session`select pg_advisory_lock(hashtextextended(${MIGRATION_LOCK}, 0))`
    await runMigrations({ connectionString, logger: await createWorkerLog(log) })
  } finally {
    await session`select pg_advisory_unlock(hashtextextended(${MIGRATION_LOCK}, 0))`
    session.release()
  }
}
