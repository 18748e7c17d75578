import type { Budget } from '../resolve.ts'
import { periodStart } from './periods.ts'
import { releaseLeases, takeLease } from './store/take-lease.ts'
import type { Transact } from './store/write-calls.ts'

/** What a call holds of its budgets until its cost is known. */
export interface Reservation {
  readonly micros: number
  readonly leases: readonly Lease[]
}

/** What this node may still spend of one period of one budget without asking the database. */
interface Lease {
  /** As it was seen last. */
  budget: Budget
  readonly start: Date
  free: number
  /** Of a lease under a higher limit: handed back with the next question. */
  returning: number
  asking: Promise<number> | undefined
  /** The lease that took its place when the limit was lowered. */
  successor: Lease | undefined
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
    let held = budgets.map((budget) => leaseOf(budget, at))
    for (let round = 0; ; round++) {
      if (held.some(({ successor }) => successor)) held = held.map(latestOf)
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
    if (known && budget.limitMicros >= known.budget.limitMicros) {
      known.budget = budget
      return known
    }
    const lease: Lease = { budget, start, free: 0, returning: 0, asking: undefined, successor: undefined }
    leases.set(id, lease)
    if (known) replaceLease(known, lease)
    return lease
  }

  /** One question at a time for a lease; those who find it short meanwhile wait for the same answer. */
  function askForMore(lease: Lease, micros: number): Promise<number> {
    lease.asking ??= extendLease(transact, nodeId, lease, micros - lease.free).finally(() => {
      lease.asking = undefined
    })
    return lease.asking
  }

  return {
    reserve,
    settle({ micros, leases: held }, spentMicros) {
      for (const lease of held) giveBack(lease, micros - spentMicros)
    },
    async release() {
      leases.clear()
      await releaseLeases(transact, nodeId)
    },
  }
}

/** Under a lower limit nothing of a higher one's lease is spent: it is handed back and asked for by the limit in force. */
function replaceLease(old: Lease, lease: Lease): void {
  lease.returning = old.free + old.returning
  old.free = 0
  old.returning = 0
  old.successor = lease
}

function latestOf(lease: Lease): Lease {
  let last = lease
  while (last.successor) last = last.successor
  return last
}

function giveBack(lease: Lease, micros: number): void {
  const last = latestOf(lease)
  if (last === lease) lease.free += micros
  else last.returning += micros
}

/** What is needed at least, and for calls to come if there is enough. */
async function extendLease(transact: Transact, nodeId: string, lease: Lease, neededMicros: number): Promise<number> {
  const { budget, start, returning: returned } = lease
  const wanted = Math.max(neededMicros, Math.floor(budget.limitMicros / leasesPerBudget))
  lease.returning -= returned
  try {
    const taken = await takeLease(transact, { nodeId, budgetId: budget.budgetId, start, wanted, returned })
    giveBack(lease, taken)
    return taken
  } catch (error) {
    latestOf(lease).returning += returned
    throw error
  }
}
