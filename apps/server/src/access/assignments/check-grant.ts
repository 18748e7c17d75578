import { type Permission, type ScopeType, systemRoles } from '@svc/contract'
import { invalid, problem } from '../../kernel/http/index.ts'
import type { ObjectType } from '../engine/facts.ts'
import { fromSystem, isReserved, type KnownRole } from '../roles/find-role.ts'
import type { AssignmentRow } from './record.ts'

/** The body of a request for an assignment. */
export interface GrantRequest {
  readonly principal_type: AssignmentRow['principalType']
  readonly principal_id: string
  readonly scope_type: ScopeType
  readonly scope_id?: string | null | undefined
  readonly role_id?: string | undefined
  readonly role_key?: string | undefined
  readonly object_type?: ObjectType | null | undefined
  readonly object_id?: string | null | undefined
  readonly expires_at?: string | null | undefined
}

/** Rules on the request alone: 400 with the field that is wrong. */
export function checkGrantShape(request: GrantRequest, now: Date): void {
  const { scope_type, scope_id, object_type, object_id, role_id, role_key, expires_at } = request
  const issues: { path: string; message: string }[] = []
  const hasScope = scope_id !== undefined && scope_id !== null
  if (scope_type === 'project' && !hasScope) issues.push({ path: 'scope_id', message: 'a project scope needs its id' })
  if (scope_type === 'account' && hasScope) issues.push({ path: 'scope_id', message: 'an account scope takes no id' })
  if ((object_type ?? null) === null ? (object_id ?? null) !== null : (object_id ?? null) === null) {
    issues.push({ path: 'object_id', message: 'object_type and object_id go together' })
  }
  if (object_type && scope_type !== 'project') issues.push({ path: 'scope_type', message: 'an object is in a project' })
  if (role_id !== undefined && role_key !== undefined) {
    issues.push({ path: 'role_key', message: 'send either role_id or role_key' })
  }
  if (role_id === undefined && role_key === undefined && !object_type) {
    issues.push({ path: 'role_id', message: 'send role_id or role_key' })
  }
  if (expires_at && new Date(expires_at) <= now) issues.push({ path: 'expires_at', message: 'must be in the future' })
  if (issues.length > 0) throw invalid(issues)
}

/** A system role by the key people know; `member` means the scope's own. */
export function findRoleByKey(key: string, scope: ScopeType): KnownRole {
  const found =
    systemRoles.find((role) => role.key === key && role.resource_type === scope) ??
    systemRoles.find((role) => role.key === key)
  if (found) return fromSystem(found.role_id)
  const known = [...new Set(systemRoles.map((role) => role.key))].join(', ')
  throw invalid([{ path: 'role_key', message: `is not a system role; known keys are ${known}` }])
}

/** Rules on the role that is to be granted. */
export function checkGrantedRole(request: GrantRequest, role: KnownRole): void {
  if (!request.object_type && role.scope !== request.scope_type) {
    throw invalid([{ path: 'scope_type', message: `the role ${role.key} is assigned at ${role.scope} scope` }])
  }
  if (role.roleId === 'builtin:owner' && request.principal_type === 'group') {
    throw invalid([{ path: 'principal_type', message: 'a group cannot own an account; name its people as owners' }])
  }
  const reserved = role.isSystem ? undefined : role.actions.find(isReserved)
  if (reserved !== undefined) throw problem('role_not_assignable', { extras: { action: reserved } })
}

/** What somebody needs who grants or revokes this, besides being in the account. */
export function permissionsToGrant(
  what: { readonly objectType: string | null; readonly role: KnownRole | undefined },
  custom: 'policy.create' | 'policy.delete',
): Permission[] {
  const { objectType, role } = what
  if (objectType !== null || (role?.isSystem && role.scope === 'project')) return ['project.members.manage']
  if (!role?.isSystem) return [custom]
  return role.roleId === 'builtin:owner' ? ['member.update', 'member.super_admin.grant'] : ['member.update']
}
