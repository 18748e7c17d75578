import type { DeliverySync } from '../../secrets/index.ts'
import type { Parts } from '../parts.ts'
import { listByStatus, type SessionRow } from '../store/sessions.ts'
import { pushScope } from './scope.ts'

/** Brings the secrets of a project to its sessions that run; null when none does. A boot under way reads them anew. */
export async function syncSecrets(parts: Parts, projectId: string): Promise<DeliverySync | null> {
  const rows = await listByStatus(parts.kernel.database.db, parts.nodeId, ['running'])
  const targets = rows.filter((row) => row.projectId === projectId && parts.live.find(row.sessionId) !== undefined)
  if (targets.length === 0) return null
  const failures = (await Promise.all(targets.map((row) => syncOne(parts, row)))).flat()
  const { length: targeted } = targets
  const { length: failed } = failures
  return { ok: failed === 0, targeted, synced: targeted - failed, failed, failures }
}

async function syncOne(parts: Parts, row: SessionRow): Promise<DeliverySync['failures']> {
  const pushed = await pushScope(parts, row.sessionId)
  return pushed.hasFailed ? [{ session_id: row.sessionId, sandbox_id: row.sessionId, reason: pushed.detail }] : []
}
