import { type Clock, systemClock } from '../clock/index.ts'
import type { Logger } from '../log/index.ts'
import type { WorkerPool } from './worker-pool.ts'

export interface KeptPool {
  /** The name of the pool that runs now. */
  id(): string
  /** Starts no further pool and drains the one that runs, also one that was just being opened. */
  stop(): Promise<void>
}

export interface KeepPoolOptions {
  readonly open: () => Promise<WorkerPool>
  readonly drainTimeoutMs: number
  readonly log: Logger
  readonly clock?: Clock
}

const RESTART_MS = 1_000

/** graphile-worker gives up when the database was away at the wrong moment; a node does not. */
export async function keepPool(options: KeepPoolOptions): Promise<KeptPool> {
  const { open, drainTimeoutMs, log, clock = systemClock } = options
  const stopping = new AbortController()
  const stopped = new Promise<void>((resolve) => stopping.signal.addEventListener('abort', () => resolve()))
  let pool = await open()

  async function supervise(): Promise<void> {
    while (!stopping.signal.aborted) {
      const ended = pool.ended.then(
        () => undefined,
        (error: unknown) => error,
      )
      const failure = await Promise.race([ended, stopped])
      if (stopping.signal.aborted) return
      log.error('the worker pool ended by itself and is started again', { error: failure })
      await clock.sleep(RESTART_MS, stopping.signal)
      if (stopping.signal.aborted) return
      pool = await open().catch((error: unknown) => endedPool(error))
    }
  }

  const supervised = supervise()
  return {
    id: () => pool.id,
    async stop() {
      stopping.abort()
      await supervised
      await drain(pool, drainTimeoutMs, clock, log)
    },
  }
}

async function drain(pool: WorkerPool, timeoutMs: number, clock: Clock, log: Logger): Promise<void> {
  const done = new AbortController()
  const stopped = pool
    .stop()
    .catch((error: unknown) => log.error('the worker pool did not stop cleanly', { error }))
    .finally(() => done.abort())
  await Promise.race([stopped, clock.sleep(timeoutMs, done.signal)])
  if (done.signal.aborted) return
  log.warn('jobs still run after the drain time; they are given back and run again elsewhere')
  await pool.abandon()
}

/** Stands for a pool that could not be opened, so that the supervisor tries again. */
function endedPool(error: unknown): WorkerPool {
  const nothing = () => Promise.resolve()
  const ended = Promise.reject(error)
  // Nobody listens any more when the node stops at this moment.
  ended.catch(() => undefined)
  return { id: '', ended, stop: nothing, abandon: nothing }
}
