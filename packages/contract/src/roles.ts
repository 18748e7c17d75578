import { accountPermissions, type Permission, projectPermissions, type ScopeType } from './permissions.ts'

/** The roles every account has. Their ids and keys are fixed; custom roles stand beside them. */
export interface SystemRole {
  readonly role_id: string
  readonly key: string
  readonly name: string
  readonly description: string
  readonly resource_type: ScopeType
  readonly actions: ReadonlySet<Permission>
}

const notForAdmins: readonly Permission[] = ['account.delete', 'billing.write', 'member.super_admin.grant']

/** In the order the API lists them. */
export const systemRoles: readonly SystemRole[] = [
  {
    role_id: 'builtin:manager',
    key: 'manager',
    name: 'Project manager',
    description: 'Everything in one project.',
    resource_type: 'project',
    actions: new Set(projectPermissions),
  },
  {
    role_id: 'builtin:user',
    key: 'member',
    name: 'Project member',
    description: 'Works in one project: sessions, reading, proposing changes.',
    resource_type: 'project',
    actions: new Set<Permission>([
      'project.read',
      'project.agent.read',
      'project.app.read',
      'project.command.read',
      'project.gateway.logs.read',
      'project.gateway.spend.read',
      'project.gitops.read',
      'project.members.read',
      'project.review.read',
      'project.review.submit',
      'project.session.read',
      'project.session.start',
      'project.session.stop',
      'project.trigger.read',
      'project.trigger.fire',
    ]),
  },
  {
    role_id: 'builtin:owner',
    key: 'owner',
    name: 'Owner',
    description: 'Everything in the account, and manager of all its projects.',
    resource_type: 'account',
    actions: new Set(accountPermissions),
  },
  {
    role_id: 'builtin:admin',
    key: 'admin',
    name: 'Admin',
    description: 'Everything in the account but deleting it, paying and making owners; manager of all its projects.',
    resource_type: 'account',
    actions: new Set(accountPermissions.filter((action) => !notForAdmins.includes(action))),
  },
  {
    role_id: 'builtin:member',
    key: 'member',
    name: 'Account member',
    description: 'Belongs to the account; reaches the projects they are given.',
    resource_type: 'account',
    actions: new Set<Permission>(['account.read', 'billing.read', 'group.read', 'member.read', 'token.read']),
  },
  {
    role_id: 'builtin:agent-user',
    key: 'agent-user',
    name: 'May use one object',
    description: 'Names somebody on one agent, skill or other object. Carries no permission of its own.',
    resource_type: 'project',
    actions: new Set(),
  },
]

export function findSystemRole(roleId: string): SystemRole | undefined {
  return systemRoles.find((role) => role.role_id === roleId)
}
