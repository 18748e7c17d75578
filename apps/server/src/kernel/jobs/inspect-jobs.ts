import { sql as statement } from 'drizzle-orm'
import type { Sql } from 'postgres'
import type { Tx } from '../database/index.ts'

/** How many jobs of one name are where. Finished jobs are deleted and not counted. */
export interface JobCounts {
  name: string
  /** Due, waiting for a free worker. */
  ready: number
  /** First run is in the future. */
  scheduled: number
  /** Failed, and waiting for the next attempt. */
  retrying: number
  running: number
  /** Used up every attempt: see `listDeadJobs`. */
  dead: number
}

export interface DeadJob {
  id: string
  name: string
  attempts: number
  lastError: string | null
  createdAt: Date
  failedAt: Date
}

export async function countJobs(sql: Sql): Promise<JobCounts[]> {
  return sql<JobCounts[]>`
    select task_identifier as name,
      (count(*) filter (where locked_at is null and attempts < max_attempts and run_at <= now()))::int as ready,
      (count(*) filter (where locked_at is null and attempts = 0 and run_at > now()))::int as scheduled,
      (count(*) filter (where locked_at is null and attempts between 1 and max_attempts - 1 and run_at > now()))::int
        as retrying,
      (count(*) filter (where locked_at is not null))::int as running,
      (count(*) filter (where locked_at is null and attempts >= max_attempts))::int as dead
    from graphile_worker.jobs group by task_identifier order by task_identifier`
}

/** Newest first. `beforeId` continues a list after its last entry. */
export async function listDeadJobs(
  sql: Sql,
  { limit = 100, beforeId }: { limit?: number; beforeId?: string } = {},
): Promise<DeadJob[]> {
  return sql<DeadJob[]>`
    select id::text, task_identifier as name, attempts::int, last_error as "lastError",
      created_at as "createdAt", updated_at as "failedAt"
    from graphile_worker.jobs
    where locked_at is null and attempts >= max_attempts and (${beforeId ?? null}::bigint is null or id < ${beforeId ?? null}::bigint)
    order by id desc limit ${limit}`
}

/** Gives a dead job all its attempts again, starting with the commit. False when there is no such dead job. */
export async function retryDeadJob({ db }: Pick<Tx, 'db'>, id: string, maxAttempts: number): Promise<boolean> {
  const { rows } = await db.execute(statement`
    with retried as (
      update graphile_worker._private_jobs
      set attempts = 0, max_attempts = ${maxAttempts}, run_at = now(), updated_at = now()
      where id = ${id}::bigint and locked_at is null and attempts >= max_attempts
      returning id
    )
    select pg_notify('jobs:insert', '{"count":1}') from retried`)
  return rows.length === 1
}

/** Removes a dead job for good. False when there is no such dead job. */
export async function discardDeadJob({ db }: Pick<Tx, 'db'>, id: string): Promise<boolean> {
  const { rowCount } = await db.execute(statement`
    delete from graphile_worker._private_jobs
    where id = ${id}::bigint and locked_at is null and attempts >= max_attempts`)
  return rowCount === 1
}
