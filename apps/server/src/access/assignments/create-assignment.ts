import type { Call } from '../../kernel/http/index.ts'
import { problem } from '../../kernel/http/index.ts'
import type { Access } from '../access.ts'
import { findRole, fromSystem, type KnownRole } from '../roles/find-role.ts'
import { findPrincipal } from '../store/find-principal.ts'
import {
  checkGrantedRole,
  checkGrantShape,
  findRoleByKey,
  type GrantRequest,
  permissionsToGrant,
} from './check-grant.ts'
import { grantRole } from './grant-role.ts'
import { type AssignmentRecord, toRecord } from './record.ts'

/** One assignment, checked from what costs nothing to what tells something: shape, belonging, role, permission, plan. */
export async function createAssignment(
  access: Access,
  call: Pick<Call, 'principal' | 'actor' | 'require'>,
  accountId: string,
  request: GrantRequest,
): Promise<AssignmentRecord> {
  const { database, clock } = access.kernel
  checkGrantShape(request, clock.now())
  await access.accounts.requireBelonging(call.principal, accountId)
  const role = await chooseRole(access, accountId, request)
  const projectId = request.scope_id?.toLowerCase()
  if (projectId !== undefined) await requireOwnProject(access, accountId, projectId)
  for (const permission of permissionsToGrant({ objectType: request.object_type ?? null, role }, 'policy.create')) {
    await call.require(permission, { accountId, projectId })
  }
  if (!role.isSystem) await access.requireEntitlement('rbac', accountId)
  checkGrantedRole(request, role)
  const principal = { type: request.principal_type, id: request.principal_id.toLowerCase() }
  if (!(await findPrincipal(database.sql, accountId, principal))) {
    throw problem('not_found', { say: `There is no such ${principal.type} in this account.` })
  }
  const object =
    request.object_type && request.object_id ? { type: request.object_type, id: request.object_id } : undefined
  const row = await database.transact(call.actor, (tx) =>
    grantRole(access.context, tx, {
      accountId,
      principal,
      roleId: role.roleId,
      projectId,
      object,
      expiresAt: request.expires_at ? new Date(request.expires_at) : null,
    }),
  )
  return toRecord(row, role.key)
}

async function chooseRole(access: Access, accountId: string, request: GrantRequest): Promise<KnownRole> {
  if (request.role_key !== undefined) return findRoleByKey(request.role_key, request.scope_type)
  if (request.role_id === undefined) return fromSystem('builtin:agent-user')
  const role = await findRole(access.kernel.database.db, accountId, request.role_id.toLowerCase())
  if (!role) throw problem('not_found', { say: 'There is no such role in this account.' })
  return role
}

async function requireOwnProject(access: Access, accountId: string, projectId: string): Promise<void> {
  const project = await access.facts.project(projectId)
  if (project?.isActive && project.accountId === accountId) return
  throw problem('not_found', { say: 'There is no such project in this account.' })
}
