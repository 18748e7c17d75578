import type { JobHelpers, Task } from 'graphile-worker'
import type { Sql } from 'postgres'
import type { Logger } from '../log/index.ts'
import { sayError } from '../log/index.ts'
import { PermanentJobError, type RunnableJob } from './define-job.ts'

/** A graphile task that runs our job, keeps to its retry plan and stores no secret in the job's last error. */
export function createTask(job: RunnableJob, sql: Sql, log: Logger): Task {
  return async (payload, helpers) => {
    const { id, attempts } = helpers.job
    const own = log.child({ job: job.name, job_id: id, attempt: attempts })
    const signal = helpers.abortSignal ?? new AbortController().signal
    try {
      await job.execute(payload, { id, attempt: attempts, maxAttempts: job.maxAttempts, signal, log: own })
    } catch (error) {
      const isDead = error instanceof PermanentJobError || attempts >= maxAttemptsOf(job, helpers)
      await planRetry(sql, job, helpers, isDead).catch((problem: unknown) =>
        own.error('the next run of a failed job could not be planned; it follows the usual plan', { error: problem }),
      )
      if (isDead) own.error('a job failed for good and stays as a dead letter', { error })
      else own.warn('a job failed and will run again', { error })
      throw new Error(sayError(error))
    }
  }
}

function maxAttemptsOf(job: RunnableJob, helpers: JobHelpers): number {
  return Math.min(job.maxAttempts, helpers.job.max_attempts)
}

/**
 * graphile-worker, on the failure that follows, waits e^attempt seconds from `run_at`: a longer wait is reached by
 * moving `run_at` ahead by the difference. A dead job is one whose attempts equal its maximum.
 */
async function planRetry(sql: Sql, job: RunnableJob, helpers: JobHelpers, isDead: boolean): Promise<void> {
  const { id, attempts } = helpers.job
  if (isDead) {
    await sql`update graphile_worker._private_jobs set max_attempts = attempts where id = ${id}::bigint`
    return
  }
  const extraMs = (job.retryDelayMs?.(attempts) ?? 0) - Math.exp(Math.min(attempts, 10)) * 1_000
  if (extraMs <= 0) return
  await sql`
    update graphile_worker._private_jobs set run_at = now() + ${extraMs}::float8 * interval '1 millisecond'
    where id = ${id}::bigint`
}
