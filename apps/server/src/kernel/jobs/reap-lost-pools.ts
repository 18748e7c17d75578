import type { Sql } from 'postgres'

const LOCK_NAME = 'svc.jobs.pool:'

/** Held for as long as a worker pool lives. PostgreSQL gives it back the moment its connection is gone. */
export async function lockPool(session: Sql, poolId: string): Promise<void> {
  const [row] = await session<Array<{ held: boolean }>>`
    select pg_try_advisory_lock(hashtextextended(${LOCK_NAME + poolId}, 0)) as held`
  if (!row?.held) throw new Error(`the lock of the worker pool ${poolId} is still held by its last connection`)
}

/**
 * Frees the jobs of pools whose lock nobody holds, so that they run again at once instead of after four hours. A pool
 * must be seen without its lock twice in a row: a live node gets its lock back within that time.
 */
export function createReaper(sql: Sql): () => Promise<string[]> {
  let suspects = new Set<string>()
  return async () => {
    const free = await listPoolsWithoutLock(sql)
    const lost = free.filter((poolId) => suspects.has(poolId))
    suspects = new Set(free)
    const reaped: string[] = []
    for (const poolId of lost) if (await reapPool(sql, poolId)) reaped.push(poolId)
    return reaped
  }
}

async function listPoolsWithoutLock(sql: Sql): Promise<string[]> {
  const rows = await sql<Array<{ poolId: string }>>`
    with pools as (
      select locked_by as pool_id from graphile_worker._private_jobs where locked_by is not null
      union
      select locked_by from graphile_worker._private_job_queues where locked_by is not null
    ), keyed as (
      select pool_id, hashtextextended(${LOCK_NAME} || pool_id, 0) as key from pools
    )
    select pool_id as "poolId" from keyed where not exists (
      select from pg_locks
      where locktype = 'advisory' and objsubid = 1 and granted
        and database = (select oid from pg_database where datname = current_database())
        and ((classid::bigint << 32) | objid::bigint) = key
    )`
  return rows.map((row) => row.poolId)
}

/** Under the pool's own lock, so that a node that comes back this very moment waits until its jobs are given away. */
export async function reapPool(sql: Sql, poolId: string): Promise<boolean> {
  const [row] = await sql<Array<{ isFree: boolean }>>`
    with pool as materialized (
      select pg_try_advisory_xact_lock(hashtextextended(${LOCK_NAME + poolId}, 0)) as is_free
    ), jobs as (
      update graphile_worker._private_jobs
      set locked_at = null, locked_by = null, run_at = greatest(run_at, now()), updated_at = now(),
        last_error = 'The node that ran this job ended before the job did.'
      where locked_by = ${poolId} and (select is_free from pool)
      returning id
    ), queues as (
      update graphile_worker._private_job_queues set locked_at = null, locked_by = null
      where locked_by = ${poolId} and (select is_free from pool)
    )
    select is_free as "isFree", pg_notify('jobs:insert', json_build_object('count', (select count(*) from jobs))::text)
    from pool`
  return row?.isFree ?? false
}
