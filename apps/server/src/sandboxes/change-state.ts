import { systemActor } from '../kernel/actor.ts'
import { machineChanged } from './events.ts'
import type { Parts } from './parts.ts'
import { type MachineRow, type MachineStatus, moveMachine, type NewMachine } from './store.ts'

/** Moves a machine on and tells everybody, together. Undefined when it was in none of the states it could leave. */
export async function changeState(
  { kernel }: Parts,
  sandboxId: string,
  from: readonly MachineStatus[],
  change: Partial<NewMachine> & { status: MachineStatus },
): Promise<MachineRow | undefined> {
  return kernel.database.transact(systemActor, async (tx) => {
    const row = await moveMachine(tx.db, sandboxId, from, { statusDetail: null, ...change })
    if (row) await tx.publish(machineChanged.event(describe(row)))
    return row
  })
}

export const describe = (row: MachineRow) => ({
  sandbox_id: row.sandboxId,
  external_id: row.externalId,
  project_id: row.projectId,
  status: row.status,
  detail: row.statusDetail,
})
