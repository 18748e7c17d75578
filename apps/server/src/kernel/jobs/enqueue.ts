import type { Sql } from 'postgres'
import type { EnqueuableJob, EnqueueOptions } from '../database/index.ts'

/** Outside a drizzle transaction. Inside one use `tx.enqueue`, so that a rollback takes the job with it. */
export async function enqueueJob<Payload>(
  sql: Sql,
  job: EnqueuableJob<Payload>,
  payload: Payload,
  options: EnqueueOptions = {},
): Promise<void> {
  await sql`select from graphile_worker.add_job(
    identifier => ${job.name}::text,
    payload => ${JSON.stringify(payload ?? null)}::text::json,
    queue_name => ${options.queue ?? null}::text,
    run_at => ${options.runAt ?? null}::timestamptz,
    max_attempts => ${options.maxAttempts ?? null}::integer,
    job_key => ${options.key ?? null}::text,
    priority => ${options.priority ?? null}::integer,
    job_key_mode => ${options.keyMode ?? 'replace'}::text
  )`
}
