import { findSystemRole, isPermission, permissionCatalog, type ScopeType } from '@svc/contract'
import type { Drizzle, DrizzleTransaction } from '../../kernel/database/index.ts'
import { isUuid } from '../../kernel/ids/index.ts'
import { findRoleRow, type RoleRow } from '../store/roles.ts'

/** A role as assignments see it, system or custom. */
export interface KnownRole {
  readonly roleId: string
  readonly key: string
  readonly name: string
  readonly description: string | null
  readonly scope: ScopeType
  readonly isSystem: boolean
  readonly actions: readonly string[]
}

export async function findRole(
  db: Drizzle | DrizzleTransaction,
  accountId: string,
  roleId: string,
): Promise<KnownRole | undefined> {
  const system = findSystemRole(roleId)
  if (system) return { ...fromSystem(system.role_id), actions: [...system.actions] }
  if (!isUuid(roleId)) return undefined
  const row = await findRoleRow(db, accountId, roleId)
  return row && fromRow(row)
}

export function fromRow(row: RoleRow): KnownRole {
  const { roleId, key, name, description, resourceType, actions } = row
  return { roleId, key, name, description, scope: resourceType, isSystem: false, actions }
}

export function fromSystem(roleId: string): KnownRole {
  const system = findSystemRole(roleId)
  if (!system) throw new TypeError(`${roleId} is not a system role`)
  const { key, name, description, resource_type, actions } = system
  return { roleId, key, name, description, scope: resource_type, isSystem: true, actions: [...actions] }
}

const delegable = new Set(permissionCatalog.filter((row) => row.delegable).map((row) => String(row.action)))

/** Whether only a system role may carry it. */
export function isReserved(action: string): boolean {
  return isPermission(action) && !delegable.has(action)
}
