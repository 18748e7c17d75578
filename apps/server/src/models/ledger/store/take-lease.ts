import { sql } from 'drizzle-orm'
import { systemActor } from '../../../kernel/actor.ts'
import type { Transact } from './write-calls.ts'

interface Wanted {
  readonly nodeId: string
  readonly budgetId: string
  /** Of the period. */
  readonly start: Date
  readonly wanted: number
  /** Of what this node holds of it already: handed back first. */
  readonly returned: number
}

/** Takes a block of one period of a budget for this node: what is wanted, or what is left of it. */
export async function takeLease(
  transact: Transact,
  { nodeId, budgetId, start: begins, wanted, returned }: Wanted,
): Promise<number> {
  const start = begins.toISOString()
  return transact(systemActor, async ({ db }) => {
    const { rows: budgets } = await db.execute<{ limit_micros: number }>(sql`
      select limit_micros::float8 as limit_micros from svc.model_budgets where budget_id = ${budgetId}::uuid for share`)
    if (!budgets[0]) return 0
    await db.execute(sql`
      insert into svc.model_budget_periods (budget_id, period_start) values (${budgetId}::uuid, ${start}::timestamptz)
      on conflict do nothing`)
    const { rows: periods } = await db.execute<{ taken: number }>(sql`
      select (spent_micros + leased_micros)::float8 as taken from svc.model_budget_periods
      where budget_id = ${budgetId}::uuid and period_start = ${start}::timestamptz for update`)
    const micros = Math.max(0, Math.min(wanted, budgets[0].limit_micros - (periods[0]?.taken ?? 0) + returned))
    const change = micros - returned
    if (change === 0) return micros
    await db.execute(sql`
      update svc.model_budget_periods set leased_micros = leased_micros + ${change}::bigint
      where budget_id = ${budgetId}::uuid and period_start = ${start}::timestamptz`)
    await db.execute(sql`
      insert into svc.model_budget_leases as lease (node_id, budget_id, period_start, micros)
      values (${nodeId}::uuid, ${budgetId}::uuid, ${start}::timestamptz, ${change}::bigint)
      on conflict (node_id, budget_id, period_start) do update set micros = lease.micros + excluded.micros`)
    return micros
  })
}

/** Gives back what a node holds: it stops, or it was killed and everything it had spent is written. */
export async function releaseLeases(transact: Transact, nodeId: string): Promise<void> {
  await transact(systemActor, async ({ db }) => {
    // Periods before leases, as everywhere.
    await db.execute(sql`
      select from svc.model_budget_periods as period
      join svc.model_budget_leases as lease using (budget_id, period_start)
      where lease.node_id = ${nodeId}::uuid order by budget_id, period_start for update of period`)
    await db.execute(sql`
      with held as (
        delete from svc.model_budget_leases where node_id = ${nodeId}::uuid returning budget_id, period_start, micros
      )
      update svc.model_budget_periods as period set leased_micros = period.leased_micros - held.micros
      from held where period.budget_id = held.budget_id and period.period_start = held.period_start`)
  })
}
