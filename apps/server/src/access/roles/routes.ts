import { operations } from '@svc/contract'
import { answerPage, encodeCursor, type Handled, handle } from '../../kernel/http/index.ts'
import type { Access } from '../access.ts'
import {
  countRoleUse,
  createRole,
  deleteRole,
  listRoles,
  requireRole,
  setRolePermissions,
  toRoleRecord,
  updateRole,
} from './roles.ts'

export function roleRoutes(access: Access): Handled[] {
  const { iam } = operations
  return [
    handle(iam.listRoles, async ({ accountId, query }) => {
      const { system, own } = await listRoles(access, accountId, query.cursor)
      return answerPage(
        own,
        (role) => encodeCursor([role.key]),
        (page) => ({ roles: [...system, ...page].map((role) => toRoleRecord(role, accountId)) }),
      )
    }),
    handle(iam.getRolePermissions, async ({ accountId, params }) => {
      const { roleId, key, actions } = await requireRole(access, accountId, params.roleId)
      return { role_id: roleId, key, actions: [...actions].sort() }
    }),
    handle(iam.createRole, ({ accountId, actor, body }) => createRole(access, actor, accountId, body)),
    handle(iam.updateRole, ({ accountId, actor, params, body }) =>
      updateRole(access, actor, accountId, params.roleId, body),
    ),
    handle(iam.setRolePermissions, ({ accountId, actor, params, body }) =>
      setRolePermissions(access, actor, accountId, params.roleId, body.actions),
    ),
    handle(iam.deleteRole, async ({ accountId, actor, params }) => {
      await deleteRole(access, actor, accountId, params.roleId)
      return { deleted: true as const }
    }),
    handle(iam.getRoleUsage, async ({ accountId, params }) => {
      const { roleId } = await requireRole(access, accountId, params.roleId)
      return { role_id: roleId, policy_count: await countRoleUse(access, accountId, roleId) }
    }),
  ]
}
