import { systemActor } from '../kernel/actor.ts'
import { describe } from './change-state.ts'
import { machineChanged } from './events.ts'
import type { Parts } from './parts.ts'
import { changeMachine, findByExternalId } from './store.ts'

/** A machine met one of its limits and goes on: its row says so, and everybody is told. */
export function noteLimit(parts: Parts, externalId: string, statusDetail: string): void {
  const { database, log } = parts.kernel
  const write = database.transact(systemActor, async (tx) => {
    const found = await findByExternalId(tx.db, externalId)
    if (found?.status !== 'active') return
    const row = await changeMachine(tx.db, found.sandboxId, { statusDetail })
    if (row) await tx.publish(machineChanged.event(describe(row)))
  })
  write.catch((error: unknown) => log.error('a limit that was met could not be recorded', { externalId, error }))
}
