import { z } from 'zod'
import { operation } from './kernel/operation.ts'
import { cursor, instant, queryFlag, uuid } from './kernel/shapes.ts'

/** Who may do what: assignments, roles, groups, service accounts, and why a decision is as it is. */

export const PrincipalKind = z.enum(['user', 'group', 'service_account', 'pending'])
export const ScopeKind = z.enum(['account', 'project'])
export const ObjectKind = z.enum(['agent', 'skill', 'secret', 'app', 'trigger'])

const name = z.string().trim().min(1).max(128)
const description = z.string().max(1024).nullable().optional()
const objectId = z.string().min(1).max(256)
const roleId = z.string().min(1).max(64)
const actions = z.array(z.string().min(1).max(64)).max(200)
const base = '/v1/accounts/:accountId/iam'
const paged = z.object({ cursor: cursor.optional() })

export const Assignment = z
  .object({
    assignment_id: uuid,
    account_id: uuid,
    principal_type: PrincipalKind,
    principal_id: uuid,
    role_id: z.string(),
    role_key: z.string(),
    role_is_system: z.boolean(),
    scope_type: ScopeKind,
    scope_id: uuid.nullable(),
    object_type: ObjectKind.nullable(),
    object_id: z.string().nullable(),
    expires_at: instant.nullable(),
    granted_by: uuid.nullable(),
    source: z.enum(['manual', 'scim', 'sso', 'invite', 'system']),
    created_at: instant,
    updated_at: instant,
  })
  .meta({ id: 'Assignment', description: 'One principal, one role, one scope, at most one object.' })

export const PermissionRow = z
  .object({
    action: z.string(),
    scope_type: ScopeKind,
    resource_type: ScopeKind,
    delegable: z.boolean(),
    description: z.string(),
    area: z.string(),
    level: z.enum(['view', 'edit', 'admin']),
    implies: z.array(z.string()).readonly(),
  })
  .meta({ id: 'Permission', description: 'One row of the permission catalog.' })

export const Role = z
  .object({
    role_id: z.string(),
    key: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    resource_type: ScopeKind,
    is_system: z.boolean(),
    account_id: uuid.nullable(),
  })
  .meta({ id: 'Role', description: 'A named set of permissions; system roles belong to every account.' })

export const Group = z
  .object({
    group_id: uuid,
    name: z.string(),
    description: z.string().nullable(),
    source: z.enum(['manual', 'scim']),
    member_count: z.number().int(),
    project_count: z.number().int(),
    created_at: instant,
    updated_at: instant,
  })
  .meta({ id: 'Group', description: 'People who are assigned roles together.' })

export const ServiceAccount = z
  .object({
    service_account_id: uuid,
    name: z.string(),
    description: z.string().nullable(),
    public_prefix: z.string(),
    status: z.enum(['active', 'disabled']),
    last_used_at: instant.nullable(),
    expires_at: instant.nullable(),
    created_at: instant,
    disabled_at: instant.nullable(),
  })
  .meta({ id: 'ServiceAccount', description: 'A principal of its own for automated callers.' })

export const listAssignments = operation({
  id: 'iam.listAssignments',
  at: `GET ${base}/assignments`,
  summary: 'List assignments, newest first',
  needs: 'policy.read',
  audit: 'request',
  query: paged.extend({
    principal_type: PrincipalKind.optional(),
    principal_id: uuid.optional(),
    scope_type: ScopeKind.optional(),
    scope_id: uuid.optional(),
    object_type: ObjectKind.optional(),
    object_id: objectId.optional(),
    role_id: roleId.optional(),
    include_expired: queryFlag.optional(),
  }),
  returns: z.object({ assignments: z.array(Assignment) }),
})

export const createAssignment = operation({
  id: 'iam.createAssignment',
  at: `POST ${base}/assignments`,
  summary: 'Assign a role',
  description:
    'What the caller needs follows from what is granted: `project.members.manage` for an object or a system project role, `member.update` for a system account role (`member.super_admin.grant` besides for owner), `policy.create` for a custom role.',
  needs: 'signed-in',
  mayNeed: ['project.members.manage', 'member.update', 'member.super_admin.grant', 'policy.create'],
  audit: 'iam.assignment.granted',
  body: z.object({
    principal_type: PrincipalKind,
    principal_id: uuid,
    scope_type: ScopeKind,
    scope_id: uuid.nullable().optional(),
    role_id: roleId.optional(),
    role_key: z.string().min(1).max(64).optional(),
    object_type: ObjectKind.nullable().optional(),
    object_id: objectId.nullable().optional(),
    expires_at: instant.nullable().optional(),
  }),
  returns: Assignment,
  status: 201,
  errors: ['entitlement_required', 'role_not_assignable', 'last_owner'],
})

export const revokeAssignment = operation({
  id: 'iam.revokeAssignment',
  at: `DELETE ${base}/assignments/:assignmentId`,
  summary: 'Revoke an assignment',
  needs: 'signed-in',
  mayNeed: ['project.members.manage', 'member.update', 'member.super_admin.grant', 'policy.delete'],
  audit: 'iam.assignment.revoked',
  returns: z.object({ revoked: z.literal(true), assignment: Assignment }),
  errors: ['last_owner', 'only_account_role'],
})

export const listPermissions = operation({
  id: 'iam.listPermissions',
  at: `GET ${base}/permissions`,
  summary: 'The permission catalog',
  needs: 'role.read',
  audit: 'request',
  query: z.object({ scope_type: ScopeKind.optional() }),
  returns: z.object({ permissions: z.array(PermissionRow) }),
})

export const listRoles = operation({
  id: 'iam.roles.list',
  at: `GET ${base}/roles`,
  summary: 'List roles: the system’s, then the account’s own',
  needs: 'role.read',
  audit: 'request',
  query: paged,
  returns: z.object({ roles: z.array(Role) }),
})

const anyRole = { roleId: z.string().regex(/^(builtin:[a-z-]+|[0-9a-f-]{36})$/i) }

export const getRolePermissions = operation({
  id: 'iam.roles.permissions',
  at: `GET ${base}/roles/:roleId/permissions`,
  summary: 'What a role allows',
  needs: 'role.read',
  audit: 'request',
  params: anyRole,
  returns: z.object({ role_id: z.string(), key: z.string(), actions: z.array(z.string()) }),
})

export const createRole = operation({
  id: 'iam.roles.create',
  at: `POST ${base}/roles`,
  summary: 'Create a custom role',
  needs: 'role.create',
  entitlement: 'rbac',
  audit: 'iam.role.create',
  body: z.object({
    key: z.string().regex(/^[a-z0-9_]{2,64}$/, 'must be 2 to 64 characters of a-z, 0-9 and _'),
    name,
    description,
    resourceType: ScopeKind.default('project'),
    actions,
  }),
  returns: Role,
  status: 201,
  errors: ['name_taken'],
})

export const updateRole = operation({
  id: 'iam.roles.update',
  at: `PATCH ${base}/roles/:roleId`,
  summary: 'Rename or describe a custom role',
  needs: 'role.update',
  entitlement: 'rbac',
  audit: 'iam.role.update',
  params: anyRole,
  body: z.object({ name: name.optional(), description }),
  returns: Role,
  errors: ['system_role'],
})

export const setRolePermissions = operation({
  id: 'iam.roles.setPermissions',
  at: `PUT ${base}/roles/:roleId/permissions`,
  summary: 'Replace what a custom role allows',
  needs: 'role.update',
  entitlement: 'rbac',
  audit: 'iam.role.permissions.set',
  params: anyRole,
  body: z.object({ actions }),
  returns: z.object({ role_id: uuid, actions: z.array(z.string()) }),
  errors: ['system_role'],
})

export const deleteRole = operation({
  id: 'iam.roles.remove',
  at: `DELETE ${base}/roles/:roleId`,
  summary: 'Delete a custom role and its assignments',
  needs: 'role.delete',
  audit: 'iam.role.delete',
  params: anyRole,
  returns: z.object({ deleted: z.literal(true) }),
  errors: ['system_role'],
})

export const getRoleUsage = operation({
  id: 'iam.roles.usage',
  at: `GET ${base}/roles/:roleId/usage`,
  summary: 'How many assignments use a role',
  needs: 'role.read',
  audit: 'request',
  params: anyRole,
  returns: z.object({ role_id: z.string(), policy_count: z.number().int() }),
})

export const listGroups = operation({
  id: 'iam.groups.list',
  at: `GET ${base}/groups`,
  summary: 'List groups by name',
  needs: 'group.read',
  audit: 'request',
  query: paged,
  returns: z.object({ groups: z.array(Group) }),
})

export const createGroup = operation({
  id: 'iam.groups.create',
  at: `POST ${base}/groups`,
  summary: 'Create a group',
  needs: 'group.create',
  entitlement: 'rbac',
  audit: 'iam.group.create',
  body: z.object({ name, description }),
  returns: Group,
  status: 201,
  errors: ['name_taken'],
})

export const getGroup = operation({
  id: 'iam.groups.get',
  at: `GET ${base}/groups/:groupId`,
  summary: 'One group',
  needs: 'group.read',
  audit: 'request',
  returns: Group,
})

export const updateGroup = operation({
  id: 'iam.groups.update',
  at: `PATCH ${base}/groups/:groupId`,
  summary: 'Rename or describe a group',
  needs: 'group.update',
  audit: 'iam.group.update',
  body: z.object({ name: name.optional(), description }),
  returns: Group,
  errors: ['name_taken'],
})

export const deleteGroup = operation({
  id: 'iam.groups.remove',
  at: `DELETE ${base}/groups/:groupId`,
  summary: 'Delete a group and its assignments',
  needs: 'group.delete',
  audit: 'iam.group.delete',
  returns: z.object({ deleted: z.literal(true) }),
})

export const listGroupMembers = operation({
  id: 'iam.groups.members',
  at: `GET ${base}/groups/:groupId/members`,
  summary: 'Who is in a group',
  needs: 'group.read',
  audit: 'request',
  query: paged,
  returns: z.object({
    members: z.array(z.object({ user_id: uuid, added_at: instant, added_by: uuid.nullable() })),
  }),
})

export const addGroupMembers = operation({
  id: 'iam.groups.addMembers',
  at: `POST ${base}/groups/:groupId/members`,
  summary: 'Add members of the account to a group',
  needs: 'group.members.manage',
  entitlement: 'rbac',
  audit: 'iam.group.members.add',
  body: z.object({ userIds: z.array(uuid).min(1).max(1000) }),
  returns: z.object({ added: z.number().int() }),
})

export const removeGroupMember = operation({
  id: 'iam.groups.removeMember',
  at: `DELETE ${base}/groups/:groupId/members/:userId`,
  summary: 'Remove somebody from a group',
  needs: 'group.members.manage',
  audit: 'iam.group.members.remove',
  returns: z.object({ removed: z.literal(true) }),
})

export const listServiceAccounts = operation({
  id: 'iam.serviceAccounts.list',
  at: `GET ${base}/service-accounts`,
  summary: 'List service accounts, newest first',
  needs: 'token.read',
  audit: 'request',
  query: paged,
  returns: z.object({ service_accounts: z.array(ServiceAccount) }),
})

export const createServiceAccount = operation({
  id: 'iam.serviceAccounts.create',
  at: `POST ${base}/service-accounts`,
  summary: 'Create a service account; its secret is shown once',
  needs: 'token.create',
  audit: 'iam.service_account.create',
  body: z.object({ name, description, expires_at: instant.nullable().optional() }),
  returns: ServiceAccount.extend({ secret: z.string() }).meta({ id: 'ServiceAccountWithSecret' }),
  status: 201,
  errors: ['name_taken'],
})

export const disableServiceAccount = operation({
  id: 'iam.serviceAccounts.disable',
  at: `POST ${base}/service-accounts/:serviceAccountId/disable`,
  summary: 'Disable a service account at once',
  needs: 'token.revoke',
  audit: 'iam.service_account.disable',
  returns: z.object({ disabled: z.literal(true) }),
  errors: ['already_disabled', 'agent_identity'],
})

export const deleteServiceAccount = operation({
  id: 'iam.serviceAccounts.remove',
  at: `DELETE ${base}/service-accounts/:serviceAccountId`,
  summary: 'Delete a service account and its assignments',
  needs: 'token.revoke',
  audit: 'iam.service_account.delete',
  returns: z.object({ deleted: z.literal(true) }),
  errors: ['agent_identity'],
})

export const listAgentIdentities = operation({
  id: 'iam.agentIdentities.list',
  at: `GET ${base}/agent-identities`,
  summary: 'The service accounts of agents',
  needs: 'policy.read',
  audit: 'request',
  query: paged,
  returns: z.object({
    agents: z.array(z.object({ service_account_id: uuid, name: z.string(), project_id: uuid, agent_name: z.string() })),
  }),
})

export const Verdict = z
  .object({
    allowed: z.boolean(),
    reason: z.string(),
    decided_by: z.object({
      step: z.enum([
        'token_binding',
        'acting_principal',
        'project_binding',
        'account_role',
        'project_role',
        'object_rule',
        'agent_grant',
      ]),
      assignment_id: uuid.nullable(),
      role_key: z.string().nullable(),
    }),
  })
  .meta({ id: 'Verdict', description: 'May they, why, and which step, assignment and role decided.' })

export const explain = operation({
  id: 'iam.explain',
  at: `POST ${base}/explain`,
  summary: 'Why something is allowed or refused',
  description: 'For the caller, or for `principal` when the caller has `policy.read`.',
  needs: 'account-member',
  mayNeed: ['policy.read'],
  audit: 'request',
  body: z.object({
    probes: z
      .array(
        z.object({
          action: z.string().min(1).max(64),
          project_id: uuid.optional(),
          object: z.object({ type: ObjectKind, id: objectId }).optional(),
        }),
      )
      .min(1)
      .max(100),
    principal: z.object({ type: z.enum(['user', 'service_account']), id: uuid }).optional(),
  }),
  returns: z.object({ results: z.array(Verdict) }),
  idempotent: false,
})
