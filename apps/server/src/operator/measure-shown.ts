import type { Clock } from '../kernel/clock/index.ts'
import type { Sandboxes } from '../sandboxes/index.ts'
import type { SandboxRow } from './store.ts'

export type MachineStats = NonNullable<Awaited<ReturnType<Sandboxes['measureMachine']>>>

/** Measuring walks processes and asks engines: a few at a time, and the list does not wait for the rest. */
const atOnce = 4
const patienceMs = 2_000

interface Measuring {
  readonly clock: Clock
  measure(row: SandboxRow): Promise<MachineStats | undefined>
}

/** What the running machines of a page use, by id. Those that could not be measured in time are missing. */
export async function measureShown(
  { clock, measure }: Measuring,
  shown: readonly SandboxRow[],
): Promise<Map<string, MachineStats>> {
  const deadlineMs = clock.nowMs() + patienceMs
  const measured = new Map<string, MachineStats>()
  const left = shown.filter(({ status }) => status === 'active').values()
  const work = async () => {
    for (const row of left) {
      if (clock.nowMs() >= deadlineMs) return
      const usage = await measure(row)
      if (usage) measured.set(row.sandboxId, usage)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return measured
}
