import type { operations } from '@svc/contract'
import type { Call } from '../kernel/http/index.ts'
import { openFor } from './access.ts'
import type { Parts } from './parts.ts'
import { findOwners } from './store/people.ts'

/** Models cost what the gateway's ledger says; machines of this instance cost nothing. */
export async function readCost(parts: Parts, call: Call<typeof operations.sessions.cost>) {
  const { row } = await openFor(parts, call.principal, call.params.sessionId, call.projectId)
  const project = await parts.projects.findProject(row.projectId)
  const owners = await findOwners(parts.kernel.database.sql, row.ownerId === null ? [] : [row.ownerId])
  const owner = owners.get(row.ownerId ?? '')
  const { summary, model_usage, ledger_entries } = await parts.models.readSessionCost(row.sessionId)
  return {
    session_id: row.sessionId,
    project_id: row.projectId,
    project_name: project?.name ?? '',
    owner_id: row.ownerId,
    owner_type: row.ownerType,
    owner_name: owner?.name ?? null,
    owner_email: owner?.email ?? null,
    status: row.status,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
    last_activity_at: row.lastActivityAt?.toISOString() ?? null,
    ...summary,
    model_usage,
    ledger_entries,
  }
}
