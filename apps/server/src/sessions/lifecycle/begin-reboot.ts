import type { Tx } from '../../kernel/database/index.ts'
import { newId } from '../../kernel/ids/index.ts'
import { describeChange } from '../create/create-session.ts'
import { sessionChanged } from '../events.ts'
import type { Parts } from '../parts.ts'
import { moveSession, type SessionRow } from '../store/sessions.ts'

/** From here on nobody reaches the machine as it is; a boot that is under way gives up, and another begins. */
export async function beginReboot({ kernel }: Parts, tx: Tx, sessionId: string): Promise<SessionRow | undefined> {
  const moved = await moveSession(tx.db, sessionId, ['provisioning', 'running'], {
    status: 'provisioning',
    operationId: newId(),
    bootingSince: kernel.clock.now(),
  })
  if (moved) await tx.publish(sessionChanged.event(describeChange(moved)))
  return moved
}
