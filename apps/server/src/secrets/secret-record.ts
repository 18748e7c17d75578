import type { operations, ResultOf } from '@svc/contract'
import type { Call } from '../kernel/http/index.ts'
import { type ManifestNeeds, readManifestNeeds } from './manifest-needs.ts'
import type { Parts } from './parts.ts'
import { findPersonal, type ListedSecret, type PersonalRow, type SecretRow } from './store.ts'

export type SecretRecord = ResultOf<typeof operations.secrets.setPersonal>

/** What the reader and the project at large decide about how a secret is shown. */
export interface View {
  readonly projectId: string
  readonly canManage: boolean
  readonly needs: ManifestNeeds
  readonly isEgressEnabled: boolean
}

export async function readView(parts: Parts, call: Pick<Call, 'projectId' | 'can'>): Promise<View> {
  const { projectId } = call
  return {
    projectId,
    canManage: await call.can('project.secret.write'),
    needs: await readManifestNeeds(parts, projectId),
    isEgressEnabled: await parts.features.isFeatureEnabled(projectId, 'secrets_egress'),
  }
}

export function toSecret(view: View, { identifier, name, shared, mine }: ListedSecret): SecretRecord {
  const isMine = mine?.active === true
  const blocked = isBlocked(view, identifier, shared)
  return {
    identifier,
    name,
    project_id: view.projectId,
    secret_id: shared?.secretId ?? null,
    created_by: shared?.createdBy ?? null,
    created_at: shared?.createdAt.toISOString() ?? null,
    updated_at: shared?.updatedAt.toISOString() ?? null,
    system: false,
    readonly: false,
    purpose: null,
    can_rotate: view.canManage && shared !== undefined,
    managed_by: null,
    configured: shared !== undefined,
    mine: mine ? { active: mine.active, updated_at: mine.updatedAt.toISOString() } : null,
    effective_source: isMine ? 'mine' : shared ? 'shared' : 'none',
    can_manage_shared: view.canManage,
    strategy: shared?.strategy ?? 'runtime',
    consumer: shared ? shared.consumer : 'sandbox',
    delivery_status: statusOf(view, shared, blocked || (!shared && !isMine)),
    delivery_blocked_reason: blocked ? 'no_agent_grant' : null,
    egress_policy: shared?.egressPolicy ?? null,
    strategy_locked: shared?.strategyLocked ?? false,
    last_rotated_at: shared?.lastRotatedAt?.toISOString() ?? null,
    requires_rotation: shared?.requiresRotation ?? false,
  }
}

/** A row with the reader's own value of the same name. */
export async function withMine(parts: Parts, userId: string | undefined, row: SecretRow): Promise<ListedSecret> {
  const { projectId, identifier, name } = row
  const mine = userId === undefined ? undefined : await findPersonal(parts.kernel.database.db, projectId, userId, name)
  return { identifier, name, shared: row, mine: pickMine(mine) }
}

export const pickMine = (row: PersonalRow | undefined) => row && { active: row.active, updatedAt: row.updatedAt }

/** What only services of the platform use needs no agent's grant. */
function isBlocked({ needs }: View, identifier: string, shared: ListedSecret['shared']): boolean {
  const consumer = shared ? shared.consumer : 'sandbox'
  const isForSessions = consumer === 'sandbox' || consumer === 'network' || consumer === 'broker'
  return isForSessions && !needs.isGranted(identifier)
}

function statusOf({ isEgressEnabled }: View, shared: ListedSecret['shared'], isOut: boolean) {
  if (shared?.strategy === 'denied') return 'disabled'
  if (isOut || (shared?.strategy === 'egress' && !isEgressEnabled)) return 'unavailable'
  return 'available'
}
