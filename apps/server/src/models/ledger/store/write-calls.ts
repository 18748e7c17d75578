import { sql } from 'drizzle-orm'
import { systemActor } from '../../../kernel/actor.ts'
import type { Database } from '../../../kernel/database/index.ts'
import type { BegunCall, CallEntry, Charge } from '../call-entry.ts'
import { noSums } from '../sums.ts'

export type Transact = Database['transact']

export interface Warning extends Record<string, unknown> {
  readonly budget_id: string
  readonly period_start: string
  readonly project_id: string
  readonly limit_micros: number
  readonly spent_micros: number
}

/** A call whose cost is known, with its entry as JSON: written once, for the journal and for the database. */
export interface SettledCall extends BegunCall {
  readonly text: string
}

/** A budget's holder is told once a period, when this part of it is spent. */
export const warnAt = 0.8

/**
 * Writes calls, what they add up to and what they take from budgets, together. A call that is there already changes
 * nothing, so writing one again after a crash is safe.
 */
export async function writeCalls(
  transact: Transact,
  nodeId: string,
  calls: readonly SettledCall[],
): Promise<Warning[]> {
  return transact(systemActor, async ({ db }): Promise<Warning[]> => {
    const entries = `[${calls.map(({ text }) => text).join(',')}]`
    // The ids in one value: a row for each would cost more to read than the calls to write.
    const { rows } = await db.execute<{ ids: string | null }>(sql`
      with added as (
        insert into svc.model_calls
        select * from jsonb_populate_recordset(null::svc.model_calls, ${entries}::text::jsonb)
        on conflict (call_id) do nothing returning call_id
      )
      select string_agg(call_id::text, ' ') as ids from added`)
    const isNew = new Set(rows[0]?.ids?.split(' '))
    const fresh = calls.filter(({ entry }) => isNew.has(entry.call_id))
    if (fresh.length === 0) return []
    const usage = JSON.stringify(sumUsage(fresh.map(({ entry }) => entry)))
    await db.execute(sql`
      insert into svc.model_usage as known
      select * from jsonb_populate_recordset(null::svc.model_usage, ${usage}::text::jsonb)
      on conflict (project_id, kind, day, subject, detail) do update set
        requests = known.requests + excluded.requests, errors = known.errors + excluded.errors,
        svc_micros = known.svc_micros + excluded.svc_micros,
        provider_micros = known.provider_micros + excluded.provider_micros,
        input_tokens = known.input_tokens + excluded.input_tokens,
        output_tokens = known.output_tokens + excluded.output_tokens,
        cached_tokens = known.cached_tokens + excluded.cached_tokens,
        cache_write_tokens = known.cache_write_tokens + excluded.cache_write_tokens,
        last_at = greatest(known.last_at, excluded.last_at)`)
    const charges = sumCharges(fresh)
    if (charges.length === 0) return []
    const taken = JSON.stringify(charges)
    await db.execute(sql`
      insert into svc.model_budget_periods (budget_id, period_start)
      select charge.budget_id, charge.period_start
      from jsonb_to_recordset(${taken}::text::jsonb) as charge(budget_id uuid, period_start timestamptz)
        join svc.model_budgets using (budget_id)
      on conflict do nothing`)
    // Periods before leases, as whoever takes a lease does: nobody waits in a circle.
    const warnings = await db.execute<Warning>(sql`
      with charged as (
        update svc.model_budget_periods as period
        set spent_micros = spent_micros + charge.micros, leased_micros = leased_micros - charge.held_micros
        from jsonb_to_recordset(${taken}::text::jsonb)
          as charge(budget_id uuid, period_start timestamptz, micros bigint, held_micros bigint)
        where period.budget_id = charge.budget_id and period.period_start = charge.period_start
        returning period.budget_id, period.period_start, period.spent_micros, period.warned_at
      )
      select budget_id, period_start::text as period_start, project_id, limit_micros::float8 as limit_micros, spent_micros::float8 as spent_micros
      from charged join svc.model_budgets using (budget_id)
      where warned_at is null and spent_micros >= limit_micros * ${warnAt}::float8`)
    await db.execute(sql`
      update svc.model_budget_leases as lease set micros = lease.micros - charge.held_micros
      from jsonb_to_recordset(${taken}::text::jsonb)
        as charge(budget_id uuid, period_start timestamptz, held_micros bigint)
      where lease.node_id = ${nodeId}::uuid and lease.budget_id = charge.budget_id
        and lease.period_start = charge.period_start`)
    return warnings.rows
  })
}

/** Tells in the audit log, once a period and whichever node notices, that a budget is nearly spent. */
export async function warnOnce(transact: Transact, warnings: readonly Warning[]): Promise<void> {
  await transact(systemActor, async ({ db, audit }) => {
    for (const { budget_id, period_start, spent_micros } of warnings) {
      const { rows } = await db.execute<BudgetRow>(sql`
        with marked as (
          update svc.model_budget_periods set warned_at = now()
          where budget_id = ${budget_id}::uuid and period_start = ${period_start}::timestamptz and warned_at is null
          returning budget_id
        )
        select account_id, project_id, scope, subject, period, action, limit_micros::float8 as limit_micros
        from svc.model_budgets where budget_id in (select budget_id from marked)`)
      for (const row of rows) {
        await audit({
          action: 'gateway.budget_nearly_spent',
          accountId: row.account_id,
          projectId: row.project_id,
          resourceType: 'project',
          resourceId: row.project_id,
          metadata: {
            budget_id,
            scope: row.scope,
            subject: row.subject,
            limit_usd: row.limit_micros / 1e6,
            spent_usd: spent_micros / 1e6,
            period: row.period,
            budget_action: row.action,
          },
        })
      }
    }
  })
}

interface BudgetRow extends Record<string, unknown> {
  readonly account_id: string
  readonly project_id: string
  readonly scope: string
  readonly subject: string
  readonly period: string
  readonly action: string
  readonly limit_micros: number
}

interface UsageRow {
  readonly project_id: string
  readonly kind: string
  readonly day: string
  readonly subject: string
  readonly detail: string
  requests: number
  errors: number
  svc_micros: number
  provider_micros: number
  input_tokens: number
  output_tokens: number
  cached_tokens: number
  cache_write_tokens: number
  last_at: string
}

function sumUsage(entries: readonly CallEntry[]): UsageRow[] {
  const rows = new Map<string, UsageRow>()
  for (const entry of entries) {
    for (const [kind, subject, detail] of kindsOf(entry)) addTo(rows, entry, kind, subject, detail)
  }
  // One order for everybody who writes: two nodes never wait for each other in a circle.
  return [...rows.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
}

function kindsOf(entry: CallEntry): (readonly [kind: string, subject: string, detail: string])[] {
  const model = entry.resolved_model
  return [
    ['project', '', ''],
    ['model', model, entry.provider],
    ['latency', String(latencyBucket(entry.latency_ms)), ''],
    ...(entry.session_id === null
      ? []
      : ([
          ['session', entry.session_id, ''],
          ['session_model', entry.session_id, `${entry.provider} ${model}`],
        ] as const)),
    ...(entry.ok ? [] : ([['error', entry.error_code ?? 'unknown', '']] as const)),
    ...(entry.user_id === null ? [] : ([['member', entry.user_id, '']] as const)),
    ...(entry.agent_name === null ? [] : ([['agent', entry.agent_name, '']] as const)),
    ...(entry.key_id === null ? [] : ([['key', entry.key_id, '']] as const)),
  ]
}

function addTo(rows: Map<string, UsageRow>, entry: CallEntry, kind: string, subject: string, detail: string): void {
  const day = entry.created_at.slice(0, 10)
  // No text of the database holds a zero byte, so no two rows share a name.
  const id = `${entry.project_id}\0${kind}\0${day}\0${subject}\0${detail}`
  const row = rows.get(id) ?? emptyRow(entry, kind, day, subject, detail)
  row.requests += 1
  row.errors += entry.ok ? 0 : 1
  row.svc_micros += entry.svc_micros
  row.provider_micros += entry.provider_micros
  row.input_tokens += entry.input_tokens
  row.output_tokens += entry.output_tokens
  row.cached_tokens += entry.cached_tokens
  row.cache_write_tokens += entry.cache_write_tokens
  if (entry.created_at > row.last_at) row.last_at = entry.created_at
  rows.set(id, row)
}

function emptyRow(entry: CallEntry, kind: string, day: string, subject: string, detail: string): UsageRow {
  return {
    project_id: entry.project_id,
    kind,
    day,
    subject,
    detail,
    ...noSums,
    last_at: entry.created_at,
  }
}

const bucketGrowth = Math.log(1.1)

/** Each bucket is a tenth wider than the one before, so a percentile read from them is off by a tenth at most. */
export function latencyBucket(latencyMs: number): number {
  return Math.round(Math.log(Math.max(1, latencyMs)) / bucketGrowth)
}

export function latencyOfBucket(bucket: number): number {
  return Math.round(Math.exp(bucket * bucketGrowth))
}

interface ChargeSum extends Pick<Charge, 'budget_id' | 'period_start'> {
  micros: number
  held_micros: number
}

function sumCharges(calls: readonly BegunCall[]): ChargeSum[] {
  const sums = new Map<string, ChargeSum>()
  for (const { entry, charges } of calls) {
    const micros = entry.svc_micros + entry.provider_micros
    for (const { budget_id, period_start, is_held } of charges) {
      const id = `${budget_id} ${period_start}`
      const sum = sums.get(id) ?? { budget_id, period_start, micros: 0, held_micros: 0 }
      sum.micros += micros
      sum.held_micros += is_held ? micros : 0
      sums.set(id, sum)
    }
  }
  return [...sums.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum)
}
