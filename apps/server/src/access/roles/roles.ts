import type { Role } from '@svc/contract'
import { isPermission, type ScopeType, scopeOf, systemRoles } from '@svc/contract'
import type { z } from 'zod'
import type { Actor } from '../../kernel/actor.ts'
import { decodeCursor, invalid, pageSize, problem } from '../../kernel/http/index.ts'
import { newId } from '../../kernel/ids/index.ts'
import type { Access } from '../access.ts'
import { revokeRoles } from '../assignments/revoke-roles.ts'
import { countAssignmentsOfRole } from '../store/assignments.ts'
import { deleteRoleRow, insertRole, listRoleRows, updateRoleActions, updateRoleRow } from '../store/roles.ts'
import { findRole, fromRow, fromSystem, isReserved, type KnownRole } from './find-role.ts'

export type RoleRecord = z.input<typeof Role>

export function toRoleRecord(role: KnownRole, accountId: string): RoleRecord {
  return {
    role_id: role.roleId,
    key: role.key,
    name: role.name,
    description: role.description,
    resource_type: role.scope,
    is_system: role.isSystem,
    account_id: role.isSystem ? null : accountId,
  }
}

/** System roles first, in their fixed order, then the account's own by key. */
export async function listRoles({ kernel }: Access, accountId: string, cursor: string | undefined) {
  const after = decodeCursor(cursor, ['text'])
  const own = await listRoleRows(kernel.database.db, accountId, { afterKey: after?.[0], limit: pageSize + 1 })
  const system = after ? [] : systemRoles.map((role) => fromSystem(role.role_id))
  return { system, own: own.map(fromRow) }
}

export interface NewRole {
  readonly key: string
  readonly name: string
  readonly description?: string | null | undefined
  readonly resourceType: ScopeType
  readonly actions: readonly string[]
}

export async function createRole(access: Access, actor: Actor, accountId: string, input: NewRole): Promise<RoleRecord> {
  const { key, name, description = null, resourceType } = input
  const actions = checkActions(input.actions, resourceType)
  const values = { roleId: newId(), accountId, key, name, description, resourceType, actions }
  return access.kernel.database.transact(actor, async (tx) => {
    const row = await insertRole(tx, values)
    if (!row) throw problem('name_taken', { say: `A role with the key ${key} exists already.` })
    await tx.audit({ action: 'iam.role.create', ...about(accountId, row.roleId), after: { key, name, actions } })
    access.context.noteChange(tx, accountId)
    return toRoleRecord(fromRow(row), accountId)
  })
}

export async function updateRole(
  access: Access,
  actor: Actor,
  accountId: string,
  roleId: string,
  change: { name?: string | undefined; description?: string | null | undefined },
): Promise<RoleRecord> {
  const before = await requireCustomRole(access, accountId, roleId)
  return access.kernel.database.transact(actor, async (tx) => {
    const row = await updateRoleRow(tx, before.roleId, change)
    if (!row) throw problem('not_found')
    await tx.audit({
      action: 'iam.role.update',
      ...about(accountId, roleId),
      before: { name: before.name, description: before.description },
      after: { name: row.name, description: row.description },
    })
    return toRoleRecord(fromRow(row), accountId)
  })
}

/** Takes effect at once for everybody who holds the role. */
export async function setRolePermissions(
  access: Access,
  actor: Actor,
  accountId: string,
  roleId: string,
  wanted: readonly string[],
): Promise<{ role_id: string; actions: string[] }> {
  const before = await requireCustomRole(access, accountId, roleId)
  const actions = checkActions(wanted, before.scope)
  return access.kernel.database.transact(actor, async (tx) => {
    await updateRoleActions(tx, before.roleId, actions)
    await tx.audit({
      action: 'iam.role.permissions.set',
      ...about(accountId, roleId),
      before: { actions: before.actions },
      after: { actions },
    })
    access.context.noteChange(tx, accountId)
    return { role_id: before.roleId, actions }
  })
}

export async function deleteRole(access: Access, actor: Actor, accountId: string, roleId: string): Promise<void> {
  const role = await requireCustomRole(access, accountId, roleId)
  await access.kernel.database.transact(actor, async (tx) => {
    await revokeRoles(access.context, tx, { accountId, roleIds: [role.roleId] })
    await deleteRoleRow(tx, role.roleId)
    await tx.audit({ action: 'iam.role.delete', ...about(accountId, roleId), before: { key: role.key } })
    access.context.noteChange(tx, accountId)
  })
}

export async function requireRole(access: Access, accountId: string, roleId: string): Promise<KnownRole> {
  const role = await findRole(access.kernel.database.db, accountId, roleId.toLowerCase())
  if (!role) throw problem('not_found')
  return role
}

export async function countRoleUse({ kernel }: Access, accountId: string, roleId: string): Promise<number> {
  return countAssignmentsOfRole(kernel.database.db, accountId, roleId)
}

async function requireCustomRole(access: Access, accountId: string, roleId: string): Promise<KnownRole> {
  const role = await requireRole(access, accountId, roleId)
  if (role.isSystem) throw problem('system_role')
  return role
}

/** A role at account scope may also carry project actions: it then holds them on every project of the account. */
function checkActions(given: readonly string[], scope: ScopeType): string[] {
  const actions = [...new Set(given)].sort()
  const issues = actions.flatMap((action) => {
    if (!isPermission(action)) return [{ path: 'actions', message: `${action} is not a permission` }]
    if (isReserved(action)) return [{ path: 'actions', message: `${action} belongs to system roles only` }]
    const fits = scope === 'account' || scopeOf(action) === 'project'
    return fits ? [] : [{ path: 'actions', message: `${action} is an account action, and the role is a project’s` }]
  })
  if (issues.length > 0) throw invalid(issues)
  return actions
}

function about(accountId: string, roleId: string) {
  return { outcome: 'success', accountId, resourceType: 'role', resourceId: roleId } as const
}
