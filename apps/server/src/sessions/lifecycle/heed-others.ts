import type { Parts } from '../parts.ts'
import { isElsewhere } from '../sessions-here.ts'
import { findSession } from '../store/sessions.ts'
import { reboot } from './start-session.ts'
import { endMachine } from './stop-session.ts'

/**
 * Another server was asked to start, stop, restart or delete a session whose machine is here. Told by its event, and by
 * the sweep for whoever missed that.
 */
export async function heedChange(parts: Parts, sessionId: string): Promise<void> {
  const row = await findSession(parts.kernel.database.db, sessionId)
  if (!row || row.nodeId === null || isElsewhere(parts, row) || parts.live.ending.has(sessionId)) return
  const running = parts.live.find(sessionId)
  if (row.deletedAt === null && row.status === 'provisioning') {
    // What runs by the very boot that the row speaks of came up while the row was read.
    const isOlder = running !== undefined && running.row.operationId !== row.operationId
    return isOlder ? reboot(parts, sessionId) : parts.live.wake(sessionId)
  }
  if (running && row.status === 'stopped') await endMachine(parts, sessionId, row)
  if (row.deletedAt !== null) await parts.sandboxes.destroyMachine(sessionId)
}
