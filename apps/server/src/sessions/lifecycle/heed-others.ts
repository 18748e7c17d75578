import type { Parts } from '../parts.ts'
import { isElsewhere } from '../sessions-here.ts'
import { findSession } from '../store/sessions.ts'
import { reboot } from './start-session.ts'
import { endMachine } from './stop-session.ts'

/** Another server was asked to start, stop, restart or delete a session whose machine is here. */
export async function heedChange(parts: Parts, sessionId: string): Promise<void> {
  const row = await findSession(parts.kernel.database.db, sessionId)
  if (!row || row.nodeId === null || isElsewhere(parts, row) || parts.live.ending.has(sessionId)) return
  const isUp = parts.live.find(sessionId) !== undefined
  if (row.deletedAt === null && row.status === 'provisioning') {
    return isUp ? reboot(parts, sessionId) : parts.live.wake(sessionId)
  }
  if (isUp && row.status === 'stopped') await endMachine(parts, sessionId, row)
  if (row.deletedAt !== null) await parts.sandboxes.destroyMachine(sessionId)
}
