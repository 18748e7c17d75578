import { systemActor } from '../../kernel/actor.ts'
import { describeChange } from '../create/create-session.ts'
import { sessionChanged } from '../events.ts'
import { storeMessages } from '../log/store-messages.ts'
import type { Parts } from '../parts.ts'
import { endOpenTurn } from '../prompts/turns.ts'
import { listUnstored } from '../store/log.ts'
import { listAwaited } from '../store/prompts.ts'
import { listByStatus, moveSession, type SessionRow } from '../store/sessions.ts'
import { requestBoot } from './claim-boot.ts'

/**
 * Before anybody is served: brings the sessions of this server to a state that is true. Machines are gone, so what
 * ran is parked and its turn interrupted; what was on its way goes on; what waits to be delivered wakes its session.
 */
export async function repairSessions(parts: Parts): Promise<void> {
  const { kernel } = parts
  const { db } = kernel.database
  for (const row of await listByStatus(db, parts.nodeId, ['running'])) await park(parts, row)
  for (const sessionId of await listUnstored(kernel.database.sql)) await storeMessages(parts, sessionId)
}

/** After the port is open: machines reach the platform through it. */
export async function resumeSessions(parts: Parts): Promise<void> {
  const { db } = parts.kernel.database
  for (const sessionId of await listAwaited(db, parts.nodeId)) await requestBoot(parts, sessionId)
  for (const { sessionId } of await listByStatus(db, parts.nodeId, ['provisioning', 'queued']))
    parts.live.wake(sessionId)
}

async function park(parts: Parts, row: SessionRow): Promise<void> {
  const machine = await parts.sandboxes.findMachine(row.sessionId)
  if (machine?.status === 'active' && machine.provider !== 'local') {
    await parts.sandboxes.stopMachine(row.sessionId)
  }
  await parts.kernel.database.transact(systemActor, async (tx) => {
    const parked = await moveSession(tx.db, row.sessionId, ['running'], {
      status: 'stopped',
      operationId: null,
      idleAt: null,
    })
    if (parked) await tx.publish(sessionChanged.event(describeChange(parked)))
  })
  await endOpenTurn(parts, row, 'interrupted', ({ state }) => state === 'active')
}
