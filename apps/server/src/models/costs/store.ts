import type { Sql } from '../../kernel/database/index.ts'
import type { Sums } from '../ledger/sums.ts'

/** Half-open, with the whole UTC days in it apart: those are added up already. */
export interface Window {
  readonly from: Date
  readonly to: Date
  readonly firstWholeDay: Date
  readonly afterWholeDays: Date
}

const dayMs = 86_400_000

export function describeWindow(from: Date, to: Date): Window {
  const first = Math.ceil(from.getTime() / dayMs) * dayMs
  const last = Math.floor(to.getTime() / dayMs) * dayMs
  // A window within one day has no whole one: it is summed from its rows alone.
  if (first > last) return { from, to, firstWholeDay: to, afterWholeDays: to }
  return { from, to, firstWholeDay: new Date(first), afterWholeDays: new Date(last) }
}

export interface Asked {
  readonly projectIds: readonly string[]
  readonly ownerId: string | undefined
  readonly window: Window
  readonly sort: 'total_desc' | 'total_asc' | 'recent'
  readonly limit: number
  readonly offset: number
}

export interface SessionRow extends Sums {
  readonly session_id: string
  readonly project_id: string
  readonly project_name: string
  readonly owner_id: string | null
  readonly owner_type: string | null
  readonly owner_name: string | null
  readonly owner_email: string | null
  readonly status: string
  readonly created_at: Date
  readonly updated_at: Date
  readonly last_activity_at: Date | null
  readonly models: number
}

/** Sums of each subject of a kind, from whole days and from the rows of broken ones. */
const spending = (sql: Sql, { projectIds, window }: Asked) => {
  const { from, to, firstWholeDay, afterWholeDays } = window
  const day = (date: Date) => date.toISOString().slice(0, 10)
  const hasWholeDays = firstWholeDay < afterWholeDays
  return sql`
    select session_id, sum(requests) as requests, sum(errors) as errors, sum(svc_micros) as svc_micros,
      sum(provider_micros) as provider_micros, sum(input_tokens) as input_tokens, sum(output_tokens) as output_tokens,
      sum(cached_tokens) as cached_tokens, sum(cache_write_tokens) as cache_write_tokens
    from (
      select subject::uuid as session_id, requests, errors, svc_micros, provider_micros, input_tokens, output_tokens,
        cached_tokens, cache_write_tokens
      from svc.model_usage
      where ${hasWholeDays} and project_id = any(${[...projectIds]}::uuid[]) and kind = 'session'
        and day >= ${day(firstWholeDay)}::date and day < ${day(afterWholeDays)}::date
      union all
      select session_id, 1, (not ok)::int, svc_micros, provider_micros, input_tokens, output_tokens, cached_tokens,
        cache_write_tokens
      from svc.model_calls
      where project_id = any(${[...projectIds]}::uuid[]) and session_id is not null
        and created_at >= ${from} and created_at < ${to}
        and not (${hasWholeDays} and created_at >= ${firstWholeDay} and created_at < ${afterWholeDays})
    ) as part group by session_id`
}

/** Sessions that lived within the window, also those that cost nothing. */
const listed = (sql: Sql, { projectIds, window }: Asked) => sql`
  session.project_id = any(${[...projectIds]}::uuid[]) and session.deleted_at is null and not session.is_warm
  and session.created_at < ${window.to}
  and coalesce(session.last_activity_at, session.updated_at, session.created_at) >= ${window.from}`

const orders = {
  total_desc: 'svc_micros + provider_micros desc, created_at desc',
  total_asc: 'svc_micros + provider_micros, created_at desc',
  recent: 'coalesce(last_activity_at, updated_at) desc',
} as const

const numbers = (sql: Sql) => sql`
  coalesce(spent.requests, 0)::float8 as requests, coalesce(spent.errors, 0)::float8 as errors,
  coalesce(spent.svc_micros, 0)::float8 as svc_micros, coalesce(spent.provider_micros, 0)::float8 as provider_micros,
  coalesce(spent.input_tokens, 0)::float8 as input_tokens, coalesce(spent.output_tokens, 0)::float8 as output_tokens,
  coalesce(spent.cached_tokens, 0)::float8 as cached_tokens,
  coalesce(spent.cache_write_tokens, 0)::float8 as cache_write_tokens`

export async function listSessionCosts(sql: Sql, asked: Asked): Promise<SessionRow[]> {
  const { ownerId = null, sort, limit, offset } = asked
  return sql<SessionRow[]>`
    with spent as (${spending(sql, asked)}), page as (
      select session.session_id, session.project_id, session.owner_id, session.owner_type, session.status,
        session.created_at, session.updated_at, session.last_activity_at, ${numbers(sql)}
      from svc.sessions as session left join spent using (session_id)
      where ${listed(sql, asked)} and (${ownerId}::uuid is null or session.owner_id = ${ownerId}::uuid)
      order by ${sql.unsafe(orders[sort])}, session_id limit ${limit} offset ${offset}
    )
    select page.*, project.name as project_name, person.email as owner_email,
      coalesce(robot.name, split_part(person.email, '@', 1)) as owner_name, (
        select count(distinct detail)::int from svc.model_usage
        where project_id = page.project_id and kind = 'session_model' and subject = page.session_id::text
      ) as models
    from page join svc.projects as project using (project_id)
      left join svc.users as person on person.user_id = page.owner_id
      left join svc.service_accounts as robot on robot.service_account_id = page.owner_id
    order by ${sql.unsafe(orders[sort])}, session_id`
}

export async function countSessions(sql: Sql, asked: Asked): Promise<number> {
  const { ownerId = null } = asked
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from svc.sessions as session
    where ${listed(sql, asked)} and (${ownerId}::uuid is null or session.owner_id = ${ownerId}::uuid)`
  return row?.count ?? 0
}

type Spent = Pick<Sums, 'requests' | 'svc_micros' | 'provider_micros'>

/** What the projects spent within the window and no listed session did. */
export async function sumWithoutSession(sql: Sql, asked: Asked): Promise<Spent> {
  const { projectIds, window } = asked
  const { from, to, firstWholeDay, afterWholeDays } = window
  const day = (date: Date) => date.toISOString().slice(0, 10)
  const hasWholeDays = firstWholeDay < afterWholeDays
  const [row] = await sql<Spent[]>`
    with all_spent as (
      select requests, svc_micros, provider_micros from svc.model_usage
      where ${hasWholeDays} and project_id = any(${[...projectIds]}::uuid[]) and kind = 'project'
        and day >= ${day(firstWholeDay)}::date and day < ${day(afterWholeDays)}::date
      union all
      select 1, svc_micros, provider_micros from svc.model_calls
      where project_id = any(${[...projectIds]}::uuid[]) and created_at >= ${from} and created_at < ${to}
        and not (${hasWholeDays} and created_at >= ${firstWholeDay} and created_at < ${afterWholeDays})
      union all
      select -spent.requests, -spent.svc_micros, -spent.provider_micros
      from (${spending(sql, asked)}) as spent join svc.sessions as session using (session_id)
      where ${listed(sql, asked)}
    )
    select coalesce(sum(requests), 0)::float8 as requests, coalesce(sum(svc_micros), 0)::float8 as svc_micros,
      coalesce(sum(provider_micros), 0)::float8 as provider_micros
    from all_spent`
  return row ?? { requests: 0, svc_micros: 0, provider_micros: 0 }
}

export async function listProjectIds(sql: Sql, accountId: string): Promise<string[]> {
  const rows = await sql<{ project_id: string }[]>`
    select project_id from svc.projects where account_id = ${accountId} order by project_id`
  return rows.map(({ project_id }) => project_id)
}
