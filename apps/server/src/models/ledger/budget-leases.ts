import { sql } from 'drizzle-orm'
import { systemActor } from '../../kernel/actor.ts'
import type { Budget } from '../resolve.ts'
import { periodStart } from './periods.ts'
import type { Transact } from './write-calls.ts'

/** What a call holds of its budgets until its cost is known. */
export interface Reservation {
  readonly micros: number
  readonly leases: readonly Lease[]
}

/** What this node may still spend of one period of one budget without asking the database. */
interface Lease {
  readonly budget: Budget
  readonly start: Date
  free: number
  asking: Promise<number> | undefined
}

export interface BudgetLeases {
  /** Holds the sum against every budget, or says what the tightest one has left. Nothing is held when it does not fit. */
  reserve(
    budgets: readonly Budget[],
    micros: number,
    at: Date,
  ): Promise<Reservation | { readonly left: number; readonly budget: Budget }>
  /** Gives back what a call held and did not spend. */
  settle(reservation: Reservation, spentMicros: number): void
  /** Hands every lease of this node back to the database. */
  release(): Promise<void>
}

/** A lease is taken for many calls at once: asking the database for each would cost most of the rate. */
const leasesPerBudget = 50

export function createBudgetLeases(transact: Transact, nodeId: string): BudgetLeases {
  const leases = new Map<string, Lease>()

  async function reserve(budgets: readonly Budget[], micros: number, at: Date) {
    const held = budgets.map((budget) => leaseOf(budget, at))
    for (let round = 0; ; round++) {
      const short = held.find(({ free }) => free < micros)
      if (!short) {
        for (const lease of held) lease.free -= micros
        return { micros, leases: held }
      }
      const gained = await askForMore(short, micros)
      if (gained <= 0 && short.free < micros) return { left: Math.max(0, short.free), budget: short.budget }
      if (round > 1_000) throw new Error('a reservation found no end')
    }
  }

  function leaseOf(budget: Budget, at: Date): Lease {
    const start = periodStart(budget.period, at)
    const id = `${budget.budgetId} ${start.getTime()}`
    const known = leases.get(id)
    if (known) return known
    const lease: Lease = { budget, start, free: 0, asking: undefined }
    leases.set(id, lease)
    return lease
  }

  /** One question at a time for a lease; those who find it short meanwhile wait for the same answer. */
  function askForMore(lease: Lease, micros: number): Promise<number> {
    lease.asking ??= takeLease(transact, nodeId, lease, micros - lease.free).finally(() => {
      lease.asking = undefined
    })
    return lease.asking
  }

  return {
    reserve,
    settle({ micros, leases: held }, spentMicros) {
      for (const lease of held) lease.free += micros - spentMicros
    },
    async release() {
      leases.clear()
      await releaseLeases(transact, nodeId)
    },
  }
}

/** Takes a block from the database: what is needed at least, and for calls to come if there is enough. */
async function takeLease(transact: Transact, nodeId: string, lease: Lease, neededMicros: number): Promise<number> {
  const { budgetId, limitMicros } = lease.budget
  const wanted = Math.max(neededMicros, Math.floor(limitMicros / leasesPerBudget))
  const start = lease.start.toISOString()
  const taken = await transact(systemActor, async ({ db }) => {
    const { rows: budgets } = await db.execute<{ limit_micros: number }>(sql`
      select limit_micros::float8 as limit_micros from svc.model_budgets where budget_id = ${budgetId}::uuid for share`)
    if (!budgets[0]) return 0
    await db.execute(sql`
      insert into svc.model_budget_periods (budget_id, period_start) values (${budgetId}::uuid, ${start}::timestamptz)
      on conflict do nothing`)
    const { rows: periods } = await db.execute<{ taken: number }>(sql`
      select (spent_micros + leased_micros)::float8 as taken from svc.model_budget_periods
      where budget_id = ${budgetId}::uuid and period_start = ${start}::timestamptz for update`)
    const micros = Math.min(wanted, budgets[0].limit_micros - (periods[0]?.taken ?? 0))
    if (micros <= 0) return 0
    await db.execute(sql`
      update svc.model_budget_periods set leased_micros = leased_micros + ${micros}::bigint
      where budget_id = ${budgetId}::uuid and period_start = ${start}::timestamptz`)
    await db.execute(sql`
      insert into svc.model_budget_leases as lease (node_id, budget_id, period_start, micros)
      values (${nodeId}::uuid, ${budgetId}::uuid, ${start}::timestamptz, ${micros}::bigint)
      on conflict (node_id, budget_id, period_start) do update set micros = lease.micros + excluded.micros`)
    return micros
  })
  lease.free += taken
  return taken
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
