import type { operations, ResultOf } from '@svc/contract'
import { judge } from './access.ts'
import type { Parts } from './parts.ts'
import type { Viewer } from './store/list-page.ts'
import { findMachineStates, findOwners, type MachineFacts, type OwnerFacts } from './store/people.ts'
import { type AskKind, findWaiting } from './store/questions.ts'
import type { SessionRow } from './store/sessions.ts'

export type SessionRecord = ResultOf<typeof operations.sessions.get>

/** Sessions as the viewer sees them. */
export async function toRecords(
  { kernel }: Pick<Parts, 'kernel'>,
  viewer: Viewer,
  rows: readonly SessionRow[],
): Promise<SessionRecord[]> {
  const { sql } = kernel.database
  const ownerIds = [...new Set(rows.flatMap(({ ownerId }) => ownerId ?? []))]
  const sessionIds = rows.map(({ sessionId }) => sessionId)
  const [owners, machines, waiting] = await Promise.all([
    findOwners(sql, ownerIds),
    findMachineStates(sql, sessionIds),
    findWaiting(sql, sessionIds),
  ])
  return rows.map((row) =>
    toRecord(viewer, row, {
      owner: owners.get(row.ownerId ?? ''),
      machine: machines.get(row.sessionId),
      waitingFor: waiting.get(row.sessionId),
    }),
  )
}

export async function describeSession(
  parts: Pick<Parts, 'kernel'>,
  viewer: Viewer,
  row: SessionRow,
): Promise<SessionRecord> {
  const [record] = await toRecords(parts, viewer, [row])
  if (!record) throw new Error('a session has no record')
  return record
}

interface Facts {
  readonly owner: OwnerFacts | undefined
  readonly machine: MachineFacts | undefined
  readonly waitingFor: AskKind | undefined
}

function toRecord(viewer: Viewer, row: SessionRow, { owner, machine, waitingFor }: Facts): SessionRecord {
  const rights = judge(viewer, row)
  return {
    session_id: row.sessionId,
    account_id: row.accountId,
    project_id: row.projectId,
    branch_name: row.branchName,
    base_ref: row.baseRef,
    sandbox_provider: row.sandboxProvider,
    sandbox_id: row.sessionId,
    sandbox_url: machine && machine.status !== 'archived' ? runtimePath(machine.externalId) : null,
    opencode_session_id: row.conversationId,
    name: nameOf(row),
    custom_name: row.customName,
    agent_name: row.agentName,
    status: row.status,
    error: row.error,
    metadata: describeMetadata(row),
    opencode_sessions: row.conversations,
    created_by: row.createdBy,
    owner_email: owner?.email ?? null,
    owner_name: owner?.name ?? null,
    owner_type: row.ownerId === null ? null : (row.ownerType ?? 'unknown'),
    visibility: row.visibility,
    sharing: toIntent(row),
    origin: row.origin,
    secrets_allowlist: row.secretsAllowlist,
    is_owner: rights.isOwner,
    can_manage_sharing: rights.canManageSharing,
    can_manage_lifecycle: rights.canManageLifecycle,
    can_access: rights.canOpen,
    runtime_status: machine?.status ?? null,
    waiting_for: waitingFor ?? null,
    deleted_at: row.deletedAt?.toISOString() ?? null,
    deleted_by: row.deletedBy,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  }
}

export const runtimePath = (externalId: string) => `/p/${externalId}/8000`

/** Titles that a runtime gives before it knows what a conversation is about say nothing. */
const placeholder = /^(new|child) session\b/i

export function nameOf({ customName, conversations, conversationId, generatedName }: SessionRow): string | null {
  if (customName) return customName
  const title = conversations.find(({ id }) => id === conversationId)?.title
  if (title && !placeholder.test(title)) return title
  return generatedName
}

function describeMetadata(row: SessionRow): Record<string, unknown> {
  return {
    ...row.metadata,
    sandbox_slug: row.sandboxSlug,
    workspace_mode: row.repositoryAccess ? 'branch' : 'none',
    ...(row.model === null ? {} : { opencode_model: row.model, opencode_model_source: row.modelSource }),
    ...(row.isWarm ? { warm: true } : {}),
    ...(row.spawnedBy === null ? {} : { spawned_by_session: row.spawnedBy }),
    ...(row.deletedAt === null ? {} : { deletedAt: row.deletedAt.toISOString(), deletedBy: row.deletedBy }),
  }
}

export function toIntent(row: Pick<SessionRow, 'visibility' | 'sharedMembers' | 'sharedGroups' | 'ownerId'>) {
  if (row.visibility === 'project') return { mode: 'project' as const }
  if (row.visibility === 'private') {
    return { mode: 'private' as const, ...(row.ownerId === null ? {} : { ownerId: row.ownerId }) }
  }
  return { mode: 'members' as const, memberIds: row.sharedMembers, groupIds: row.sharedGroups }
}
