import type { operations } from '@svc/contract'
import type { Call } from '../kernel/http/index.ts'
import { openFor } from './access.ts'
import type { Parts } from './parts.ts'
import { findOwners } from './store/people.ts'

/** Nothing costs anything until the model gateway and compute metering report. */
export async function readCost(parts: Parts, call: Call<typeof operations.sessions.cost>) {
  const { row } = await openFor(parts, call.principal, call.params.sessionId, call.projectId)
  const project = await parts.projects.findProject(row.projectId)
  const owners = await findOwners(parts.kernel.database.sql, row.ownerId === null ? [] : [row.ownerId])
  const owner = owners.get(row.ownerId ?? '')
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
    ...zeros,
    model_usage: [],
    ledger_entries: [],
  }
}

const zeros = {
  llm_cost: 0,
  llm_svc_cost: 0,
  llm_provider_cost: 0,
  compute_cost: 0,
  total_cost: 0,
  request_count: 0,
  error_count: 0,
  input_tokens: 0,
  output_tokens: 0,
  cached_tokens: 0,
  cache_write_tokens: 0,
  model_count: 0,
  compute_seconds: 0,
}
