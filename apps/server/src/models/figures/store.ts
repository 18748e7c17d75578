import type { Sql } from '../../kernel/database/index.ts'
import type { Sums } from '../ledger/sums.ts'

const toUsd = (micros: number) => micros / 1e6

export function costs({ svc_micros, provider_micros }: Pick<Sums, 'svc_micros' | 'provider_micros'>) {
  return { svc_cost: toUsd(svc_micros), provider_cost: toUsd(provider_micros) }
}

export function totalCost({ svc_micros, provider_micros }: Pick<Sums, 'svc_micros' | 'provider_micros'>): number {
  return toUsd(svc_micros + provider_micros)
}

/** Sums as numbers that JavaScript holds exactly up to nine billion dollars. */
const sums = (sql: Sql) => sql`
  coalesce(sum(requests), 0)::float8 as requests, coalesce(sum(errors), 0)::float8 as errors,
  coalesce(sum(svc_micros), 0)::float8 as svc_micros, coalesce(sum(provider_micros), 0)::float8 as provider_micros,
  coalesce(sum(input_tokens), 0)::float8 as input_tokens, coalesce(sum(output_tokens), 0)::float8 as output_tokens,
  coalesce(sum(cached_tokens), 0)::float8 as cached_tokens,
  coalesce(sum(cache_write_tokens), 0)::float8 as cache_write_tokens`

export async function sumProject(sql: Sql, projectId: string, since: string): Promise<Sums | undefined> {
  const [row] = await sql<Sums[]>`
    select ${sums(sql)} from svc.model_usage
    where project_id = ${projectId} and kind = 'project' and day >= ${since}::date`
  return row
}

export async function sumByDay(sql: Sql, projectId: string, since: string): Promise<(Sums & { day: string })[]> {
  return sql<(Sums & { day: string })[]>`
    select day::text as day, ${sums(sql)} from svc.model_usage
    where project_id = ${projectId} and kind = 'project' and day >= ${since}::date group by day`
}

export interface LatencyCount {
  readonly day: string
  readonly bucket: number
  readonly requests: number
}

export async function countLatencies(sql: Sql, projectId: string, since: string): Promise<LatencyCount[]> {
  return sql<LatencyCount[]>`
    select day::text as day, subject::int as bucket, requests::float8 as requests from svc.model_usage
    where project_id = ${projectId} and kind = 'latency' and day >= ${since}::date order by day, subject::int`
}

export type NamedSums = Sums & { readonly subject: string; readonly detail: string; readonly last_at: Date | null }

export async function sumByModel(sql: Sql, projectId: string, since: string): Promise<NamedSums[]> {
  return sql<NamedSums[]>`
    select subject, detail, max(last_at) as last_at, ${sums(sql)} from svc.model_usage
    where project_id = ${projectId} and kind = 'model' and day >= ${since}::date
    group by subject, detail order by sum(requests) desc, subject limit 12`
}

/** Steps from one model of a session to the next by index, however many days and calls lie between. */
export async function sumBySession(sql: Sql, projectId: string, since: string) {
  return sql<(NamedSums & { models: number })[]>`
    with recursive dearest as (
      select subject, '' as detail, max(last_at) as last_at, ${sums(sql)} from svc.model_usage
      where project_id = ${projectId} and kind = 'session' and day >= ${since}::date
      group by subject order by sum(svc_micros + provider_micros) desc, subject limit 200
    ), step(subject, model) as (
      select subject, (
        select min(known.detail) from svc.model_usage as known
        where known.kind = 'session_model' and known.subject = dearest.subject
      ) from dearest
      union all
      select subject, (
        select min(known.detail) from svc.model_usage as known
        where known.kind = 'session_model' and known.subject = step.subject and known.detail > step.model
      ) from step where model is not null
    ), used as (select subject, count(model)::int as models from step group by subject)
    select dearest.*, used.models from dearest join used using (subject)
    order by svc_micros + provider_micros desc, subject`
}

export async function countErrors(sql: Sql, projectId: string, since: string) {
  return sql<{ code: string; count: number }[]>`
    select subject as code, sum(requests)::float8 as count from svc.model_usage
    where project_id = ${projectId} and kind = 'error' and day >= ${since}::date
    group by subject order by sum(requests) desc, subject limit 12`
}

export async function sumByMember(sql: Sql, projectId: string, since: string) {
  return sql<(NamedSums & { email: string | null })[]>`
    select subject, '' as detail, max(last_at) as last_at, person.email, ${sums(sql)}
    from svc.model_usage left join svc.users as person on person.user_id::text = subject
    where project_id = ${projectId} and kind = 'member' and day >= ${since}::date
    group by subject, person.email order by sum(svc_micros + provider_micros) desc, subject limit 500`
}

/** A session over its whole life: what its rows add up to, exactly. */
export async function sumSession(sql: Sql, sessionId: string): Promise<Sums | undefined> {
  const [row] = await sql<Sums[]>`
    select ${sums(sql)} from svc.model_usage where kind = 'session' and subject = ${sessionId}`
  return row
}

export async function sumSessionModels(sql: Sql, sessionId: string): Promise<NamedSums[]> {
  return sql<NamedSums[]>`
    select subject, detail, max(last_at) as last_at, ${sums(sql)} from svc.model_usage
    where kind = 'session_model' and subject = ${sessionId} group by subject, detail order by detail limit 500`
}
