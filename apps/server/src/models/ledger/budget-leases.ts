import type { Sql } from '../../kernel/database/index.ts'
import type { Budget } from '../resolve.ts'
import { periodStart } from './periods.ts'

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

export function createBudgetLeases(sql: Sql, nodeId: string): BudgetLeases {
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
    lease.asking ??= takeLease(sql, nodeId, lease, micros - lease.free).finally(() => {
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
      await releaseLeases(sql, nodeId)
    },
  }
}

/** Takes a block from the database: what is needed at least, and for calls to come if there is enough. */
async function takeLease(sql: Sql, nodeId: string, lease: Lease, neededMicros: number): Promise<number> {
  const { budgetId, limitMicros } = lease.budget
  const wanted = Math.max(neededMicros, Math.floor(limitMicros / leasesPerBudget))
  const taken = await sql.begin(async (tx) => {
    const [budget] = await tx<{ limit_micros: number }[]>`
      select limit_micros::float8 as limit_micros from svc.model_budgets where budget_id = ${budgetId} for share`
    if (!budget) return 0
    await tx`
      insert into svc.model_budget_periods (budget_id, period_start) values (${budgetId}, ${lease.start})
      on conflict do nothing`
    const [period] = await tx<{ taken: number }[]>`
      select (spent_micros + leased_micros)::float8 as taken from svc.model_budget_periods
      where budget_id = ${budgetId} and period_start = ${lease.start} for update`
    const micros = Math.min(wanted, budget.limit_micros - (period?.taken ?? 0))
    if (micros <= 0) return 0
    await tx`
      update svc.model_budget_periods set leased_micros = leased_micros + ${micros}
      where budget_id = ${budgetId} and period_start = ${lease.start}`
    await tx`
      insert into svc.model_budget_leases as lease (node_id, budget_id, period_start, micros)
      values (${nodeId}, ${budgetId}, ${lease.start}, ${micros})
      on conflict (node_id, budget_id, period_start) do update set micros = lease.micros + excluded.micros`
    return micros
  })
  lease.free += taken
  return taken
}

/** Gives back what a node holds: it stops, or it was killed and everything it had spent is written. */
export async function releaseLeases(sql: Sql, nodeId: string): Promise<void> {
  await sql.begin(async (tx) => {
    // Periods before leases, as everywhere.
    await tx`
      select from svc.model_budget_periods as period
      join svc.model_budget_leases as lease using (budget_id, period_start)
      where lease.node_id = ${nodeId} order by budget_id, period_start for update of period`
    await tx`
      with held as (
        delete from svc.model_budget_leases where node_id = ${nodeId} returning budget_id, period_start, micros
      )
      update svc.model_budget_periods as period set leased_micros = period.leased_micros - held.micros
      from held where period.budget_id = held.budget_id and period.period_start = held.period_start`
  })
}
