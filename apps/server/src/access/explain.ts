import type { Verdict } from '@svc/contract'
import { isPermission, scopeOf } from '@svc/contract'
import type { z } from 'zod'
import { anonymousPrincipal, type Principal } from '../kernel/principal.ts'
import type { Access } from './access.ts'
import type { Decision } from './engine/decide.ts'
import type { ObjectType } from './engine/facts.ts'

export type VerdictRecord = z.input<typeof Verdict>

export interface Probe {
  readonly action: string
  readonly project_id?: string | undefined
  readonly object?: { readonly type: ObjectType; readonly id: string } | undefined
}

/** The verdict a real call would meet, by the function that real calls ask. */
export async function explainProbe(
  { facts }: { readonly facts: Pick<Access['facts'], 'decide'> },
  principal: Principal,
  accountId: string,
  { action, project_id, object }: Probe,
): Promise<VerdictRecord> {
  if (!isPermission(action)) return unknownAction(action)
  const isAccountAction = scopeOf(action) === 'account'
  const scope = isAccountAction ? { accountId } : { accountId, projectId: project_id?.toLowerCase(), object }
  return toVerdict(await facts.decide(principal, action, scope))
}

/** Somebody else, as they stand when they sign in or use their own secret. */
export function standInFor(
  asking: Principal,
  type: 'user' | 'service_account',
  id: string,
  accountId: string,
): Principal {
  const nobody = anonymousPrincipal(asking.actor)
  const isUser = type === 'user'
  return {
    ...nobody,
    kind: type,
    id: id.toLowerCase(),
    authType: isUser ? 'session' : 'service_account',
    homeAccountId: isUser ? undefined : accountId,
  }
}

/** A project of another account is none of this account's business: asked for somebody else it does not exist. */
export async function hideForeignProject(access: Access, accountId: string, probe: Probe): Promise<Probe> {
  if (probe.project_id === undefined) return probe
  const project = await access.facts.project(probe.project_id.toLowerCase())
  return project?.accountId === accountId ? probe : { ...probe, project_id: undefined }
}

function toVerdict({ allowed, reason, decidedBy }: Decision): VerdictRecord {
  return {
    allowed,
    reason,
    decided_by: {
      step: decidedBy.step,
      assignment_id: decidedBy.assignmentId ?? null,
      role_key: decidedBy.roleKey ?? null,
    },
  }
}

function unknownAction(action: string): VerdictRecord {
  const step = action.startsWith('project.') ? 'project_role' : 'account_role'
  return {
    allowed: false,
    reason: `There is no permission called ${action}.`,
    decided_by: { step, assignment_id: null, role_key: null },
  }
}
