import { sql as query } from 'drizzle-orm'
import type { Sql } from '../../kernel/database/index.ts'
import { warnAt } from '../ledger/store/write-calls.ts'
import type { BudgetRow, Db } from '../store.ts'

export async function readSpent(
  sql: Sql,
  periods: readonly { readonly budgetId: string; readonly start: Date }[],
): Promise<ReadonlyMap<string, number>> {
  if (periods.length === 0) return new Map()
  const rows = await sql<{ budget_id: string; period_start: Date; spent: number }[]>`
    select budget_id, period_start, spent_micros::float8 as spent from svc.model_budget_periods
    where budget_id = any(${periods.map(({ budgetId }) => budgetId)}::uuid[])`
  const starts = new Map(periods.map(({ budgetId, start }) => [budgetId, start.getTime()]))
  return new Map(
    rows
      .filter(({ budget_id, period_start }) => starts.get(budget_id) === period_start.getTime())
      .map(({ budget_id, spent }) => [budget_id, spent]),
  )
}

/** The current period of a new or changed budget begins with what its calls have cost in it. */
export async function startPeriod(
  db: Db,
  { budgetId, projectId, scope, subject, limitMicros }: BudgetRow,
  start: Date,
): Promise<void> {
  const day = start.toISOString().slice(0, 10)
  await db.execute(query`
    insert into svc.model_budget_periods (budget_id, period_start, spent_micros)
    select ${budgetId}::uuid, ${start.toISOString()}::timestamptz, coalesce(sum(svc_micros + provider_micros), 0)
    from svc.model_usage
    where project_id = ${projectId}::uuid and kind = ${scope} and subject = ${subject} and day >= ${day}::date
    on conflict (budget_id, period_start) do nothing`)
  // With a limit that is far again, whoever was warned is warned anew before it.
  await db.execute(query`
    update svc.model_budget_periods set warned_at = null
    where budget_id = ${budgetId}::uuid and period_start = ${start.toISOString()}::timestamptz
      and spent_micros < ${limitMicros}::bigint * ${warnAt}::float8`)
}
