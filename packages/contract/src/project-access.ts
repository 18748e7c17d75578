import { z } from 'zod'
import { AccountRole, email } from './accounts.ts'
import { operation } from './kernel/operation.ts'
import { cursor, instant, uuid } from './kernel/shapes.ts'

/** Who may work in a project: people, invitations, requests, groups, and single agents and skills. */

const base = '/v1/projects/:projectId'
const ProjectRole = z.enum(['manager', 'member'])
const ObjectKind = z.enum(['agent', 'skill', 'secret', 'app', 'trigger'])
const expiresAt = instant.nullable().optional()
const ok = z.object({ ok: z.literal(true) })
const paged = z.object({ cursor: cursor.optional() })

export const ShortMember = z
  .object({
    user_id: uuid,
    email: z.string().optional(),
    account_role: AccountRole,
    project_role: ProjectRole.nullable(),
    effective_project_role: ProjectRole.nullable(),
    has_implicit_access: z.boolean(),
  })
  .meta({ id: 'ProjectMember', description: 'How somebody stands in a project.' })

export const ResourceGrant = z
  .object({
    grant_id: uuid,
    resource_type: ObjectKind,
    resource_id: z.string(),
    principal_type: z.enum(['member', 'group']),
    principal_id: uuid,
    principal_label: z.string(),
    granted_by: uuid.nullable(),
    created_at: instant,
    expires_at: instant.nullable(),
    orphaned: z.boolean(),
  })
  .meta({ id: 'ResourceGrant', description: 'Somebody who is named on one agent, skill, secret, app or trigger.' })

export const GroupGrant = z
  .object({
    group_id: uuid,
    group_name: z.string(),
    role: ProjectRole,
    granted_by: uuid.nullable(),
    created_at: instant,
    expires_at: instant.nullable(),
    member_count: z.number().int(),
    override_count: z.number().int(),
  })
  .meta({ id: 'GroupGrant', description: 'The role a group gives its members in a project.' })

export const AccessMember = ShortMember.extend({
  effective_source: z.enum(['implicit', 'direct', 'group']).nullable(),
  group_sources: z.array(z.object({ group_id: uuid, group_name: z.string(), role: ProjectRole })),
  joined_at: instant,
  granted_by: uuid.nullable(),
  granted_at: instant.nullable(),
  updated_at: instant.nullable(),
  expires_at: instant.nullable(),
  custom_role_policies: z.array(
    z.object({
      assignment_id: uuid,
      role_id: z.string(),
      role_key: z.string(),
      role_name: z.string(),
      scope_type: z.enum(['account', 'project']),
      expires_at: instant.nullable(),
    }),
  ),
  resource_grants: z.array(ResourceGrant),
}).meta({ id: 'AccessMember', description: 'A member of the account and where their access to a project comes from.' })

export const AccessRequest = z
  .object({
    request_id: uuid,
    account_id: uuid,
    project_id: uuid,
    requester_user_id: uuid,
    requester_email: z.string(),
    message: z.string().nullable(),
    status: z.enum(['pending', 'approved', 'rejected']),
    reviewed_by: uuid.nullable(),
    reviewed_at: instant.nullable(),
    created_at: instant,
    updated_at: instant,
  })
  .meta({ id: 'AccessRequest', description: 'Somebody who asks for access to a project.' })

const mailed = {
  invite_url: z.string(),
  email_sent: z.boolean(),
  email_skip_reason: z.enum(['email_not_configured']).nullable(),
}

export const list = operation({
  id: 'access.list',
  at: `GET ${base}/access`,
  summary: 'List everybody in the account and how they stand in the project',
  needs: 'project.members.read',
  audit: 'request',
  query: paged,
  returns: z.object({
    project_id: uuid,
    account_id: uuid,
    can_manage: z.boolean(),
    viewer_user_id: uuid.nullable(),
    members: z.array(AccessMember),
    group_access: z.array(GroupGrant),
  }),
})

export const invite = operation({
  id: 'access.invite',
  at: `POST ${base}/access/invite`,
  summary: 'Give somebody access by their address',
  description:
    'Somebody known is added at once (200), to the account too where needed. Anybody else gets an invitation (201).',
  needs: 'project.members.manage',
  audit: 'project.access.invite',
  body: z.object({ email, role: ProjectRole, expires_at: expiresAt }),
  returns: z.union([
    z.object({
      status: z.literal('invited'),
      email: z.string(),
      invite_id: uuid,
      project_role: ProjectRole,
      ...mailed,
      message: z.string(),
    }),
    ShortMember,
  ]),
  status: 201,
})

export const update = operation({
  id: 'access.update',
  at: `PUT ${base}/access/:userId`,
  summary: 'Set the project role of a member of the account',
  description: 'Owners and admins manage every project anyway: a direct role of theirs is removed.',
  needs: 'project.members.manage',
  audit: 'project.access.update',
  body: z.object({ role: ProjectRole, expires_at: expiresAt }),
  returns: ShortMember,
})

export const revoke = operation({
  id: 'access.revoke',
  at: `DELETE ${base}/access/:userId`,
  summary: 'Take somebody’s own role in the project away',
  needs: 'project.members.manage',
  audit: 'project.access.revoke',
  returns: ok,
  errors: ['implicit_access'],
})

export const pendingInvites = operation({
  id: 'access.pendingInvites',
  at: `GET ${base}/access/pending-invites`,
  summary: 'List invitations to the project that nobody accepted yet',
  needs: 'project.members.manage',
  audit: 'request',
  query: paged,
  returns: z.object({
    pending: z.array(
      z.object({
        invite_id: uuid,
        email: z.string(),
        project_role: ProjectRole,
        expires_at: instant.nullable(),
        invited_by_email: z.string().nullable(),
        created_at: instant,
        invite_expires_at: instant,
        invite_expired: z.boolean(),
      }),
    ),
  }),
})

export const resendInvite = operation({
  id: 'access.resendInvite',
  at: `POST ${base}/access/pending-invites/:inviteId/resend`,
  summary: 'Send an invitation again; its fourteen days begin anew',
  needs: 'project.members.manage',
  audit: 'account.invite.resend',
  returns: ok.extend({ expires_at: instant, ...mailed }),
  errors: ['invite_accepted'],
})

export const revokeInvite = operation({
  id: 'access.revokeInvite',
  at: `DELETE ${base}/access/pending-invites/:inviteId`,
  summary: 'Take the project out of an invitation',
  description: 'An invitation of a plain member that offers no other project is cancelled.',
  needs: 'project.members.manage',
  audit: 'project.access.revoke_invite',
  returns: ok.extend({ invitation_cancelled: z.boolean() }),
  errors: ['invite_accepted'],
})

export const requestAccess = operation({
  id: 'access.request',
  at: `POST ${base}/access-requests`,
  summary: 'Ask for access to a project',
  needs: 'user',
  rateLimit: { limit: 30, windowMs: 3_600_000, by: 'caller' },
  audit: 'project.access.request',
  body: z.object({ message: z.string().max(100_000).nullable().optional() }),
  returns: z.union([
    z.object({ status: z.enum(['created', 'pending']), request: AccessRequest }),
    z.object({ status: z.literal('already_has_access'), project_id: uuid }),
  ]),
  status: 201,
})

export const requests = operation({
  id: 'access.requests',
  at: `GET ${base}/access-requests`,
  summary: 'List who waits for access, newest first',
  needs: 'project.members.manage',
  audit: 'request',
  query: paged,
  returns: z.object({ requests: z.array(AccessRequest) }),
})

export const approveRequest = operation({
  id: 'access.approveRequest',
  at: `POST ${base}/access-requests/:requestId/approve`,
  summary: 'Give the access that somebody asked for',
  needs: 'project.members.manage',
  audit: 'project.access.request_approved',
  body: z.object({ role: ProjectRole.default('member') }),
  returns: z.object({ request: AccessRequest, member: ShortMember }),
  errors: ['access_request_reviewed'],
})

export const rejectRequest = operation({
  id: 'access.rejectRequest',
  at: `POST ${base}/access-requests/:requestId/reject`,
  summary: 'Decline a request for access',
  needs: 'project.members.manage',
  audit: 'project.access.request_rejected',
  returns: z.object({ request: AccessRequest }),
  errors: ['access_request_reviewed'],
})

export const groupGrants = operation({
  id: 'access.groupGrants',
  at: `GET ${base}/group-grants`,
  summary: 'List the groups with a role in the project, oldest grant first',
  needs: 'project.members.manage',
  audit: 'request',
  query: paged,
  returns: z.object({ grants: z.array(GroupGrant) }),
})

const AttachedGroup = z.object({ project_id: uuid, group_id: uuid, role: ProjectRole })

export const attachGroupGrant = operation({
  id: 'access.attachGroupGrant',
  at: `POST ${base}/group-grants`,
  summary: 'Give a group a role in the project',
  needs: 'project.members.manage',
  entitlement: 'rbac',
  audit: 'project.access.group_attached',
  body: z.object({ group_id: uuid, role: ProjectRole, expires_at: expiresAt }),
  returns: AttachedGroup,
  status: 201,
})

export const updateGroupGrant = operation({
  id: 'access.updateGroupGrant',
  at: `PATCH ${base}/group-grants/:groupId`,
  summary: 'Change the role of a group in the project',
  description: 'Without `expires_at` the expiry stays as it is; null makes the grant permanent.',
  needs: 'project.members.manage',
  entitlement: 'rbac',
  audit: 'project.access.group_updated',
  body: z.object({ role: ProjectRole, expires_at: expiresAt }),
  returns: AttachedGroup,
})

export const detachGroupGrant = operation({
  id: 'access.detachGroupGrant',
  at: `DELETE ${base}/group-grants/:groupId`,
  summary: 'Take the role of a group in the project away',
  needs: 'project.members.manage',
  audit: 'project.access.group_detached',
  returns: ok,
})

const Declared = z.object({ id: z.string(), name: z.string(), description: z.string().nullable() })

export const listResourceGrants = operation({
  id: 'access.resourceGrants.list',
  at: `GET ${base}/resource-grants`,
  summary: 'List what can be granted one by one, and to whom it is',
  needs: 'project.members.manage',
  audit: 'request',
  query: paged,
  returns: z.object({
    resources: z.object({
      agents: z.array(
        Declared.extend({
          declares: z
            .object({
              secrets: z.union([z.literal('all'), z.array(z.string())]),
              connectors: z.union([z.literal('all'), z.array(z.string())]),
            })
            .optional(),
        }),
      ),
      skills: z.array(Declared),
    }),
    grants: z.array(ResourceGrant),
  }),
})

export const createResourceGrant = operation({
  id: 'access.resourceGrants.create',
  at: `POST ${base}/resource-grants`,
  summary: 'Name a member or a group on one agent, skill, secret, app or trigger',
  description: 'From then on only those who are named reach the agent or skill, managers included.',
  needs: 'project.members.manage',
  audit: 'project.access.resource_granted',
  body: z.object({
    resource_type: ObjectKind,
    resource_id: z.string().min(1).max(256),
    principal_type: z.enum(['member', 'group']),
    principal_id: uuid,
    expires_at: expiresAt,
  }),
  returns: z.object({
    grant_id: uuid,
    resource_type: ObjectKind,
    resource_id: z.string(),
    principal_type: z.enum(['member', 'group']),
    principal_id: uuid,
  }),
  status: 201,
  errors: ['unknown_resource'],
})

export const removeResourceGrant = operation({
  id: 'access.resourceGrants.remove',
  at: `DELETE ${base}/resource-grants/:grantId`,
  summary: 'Take somebody’s name off an agent, skill, secret, app or trigger',
  needs: 'project.members.manage',
  audit: 'project.access.resource_revoked',
  returns: ok,
})
