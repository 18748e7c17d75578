import type { DeliverySync } from '../../secrets/index.ts'
import type { Parts } from '../parts.ts'
import { listByStatus, type SessionRow } from '../store/sessions.ts'
import { pushSecrets, readGrant } from './scope.ts'

/** Brings the secrets of a project to its sessions that run; null when none does. A boot under way reads them anew. */
export async function syncSecrets(parts: Parts, projectId: string): Promise<DeliverySync | null> {
  const rows = await listByStatus(parts.kernel.database.db, ['running'])
  const targets = rows.filter((row) => row.projectId === projectId && parts.live.find(row.sessionId) !== undefined)
  if (targets.length === 0) return null
  const failures = (await Promise.all(targets.map((row) => syncOne(parts, row)))).flat()
  const { length: targeted } = targets
  const { length: failed } = failures
  return { ok: failed === 0, targeted, synced: targeted - failed, failed, failures }
}

async function syncOne(parts: Parts, row: SessionRow): Promise<DeliverySync['failures']> {
  const failure = (reason: string) => [{ session_id: row.sessionId, sandbox_id: row.sessionId, reason }]
  try {
    const { agent } = await readGrant(parts, row)
    const pushed = await pushSecrets(parts, row, agent)
    return pushed.hasFailed ? failure(pushed.detail) : []
  } catch (error) {
    return failure(error instanceof Error ? error.message : 'The secrets could not be read.')
  }
}
