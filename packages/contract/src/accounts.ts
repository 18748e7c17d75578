import { z } from 'zod'
import { operation } from './kernel/operation.ts'
import { bytes, multipart } from './kernel/payload.ts'
import { cursor, instant, queryFlag, uuid } from './kernel/shapes.ts'

/** Accounts, the people in them, their look, and their keys. */

const base = '/v1/accounts/:accountId'

/** Spaces at the ends are dropped before the length counts; control characters are refused. */
const line = (maxLength: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(maxLength)
    .regex(/^\P{Cc}*$/u, 'must not contain control characters')

export const email = z.string().trim().toLowerCase().pipe(z.email('must be an email address').max(320))

export const AccountRole = z.enum(['owner', 'admin', 'member'])
const InvitedRole = z.enum(['admin', 'member'])
const ProjectRole = z.enum(['manager', 'member'])
const ok = z.object({ ok: z.literal(true) })

export const Branding = z
  .object({
    app_name: z.string().nullable(),
    logo_url: z.string().nullable(),
    icon_url: z.string().nullable(),
    favicon_url: z.string().nullable(),
    logo_dark_url: z.string().nullable(),
    icon_dark_url: z.string().nullable(),
    favicon_dark_url: z.string().nullable(),
  })
  .meta({ id: 'Branding', description: 'An account’s own name and pictures for the product.' })

export const Account = z
  .object({
    account_id: uuid,
    name: z.string(),
    slug: z.string(),
    created_at: instant,
    updated_at: instant,
    account_role: AccountRole.optional(),
    is_primary_owner: z.boolean().optional(),
    branding: Branding.nullable().optional(),
  })
  .meta({ id: 'Account', description: 'Projects, people and keys that belong together.' })

export const AccountDetail = z
  .object({
    account_id: uuid,
    name: z.string(),
    member_count: z.number().int(),
    project_count: z.number().int(),
    role: AccountRole,
    branding: Branding.nullable(),
    created_at: instant,
    updated_at: instant,
  })
  .meta({ id: 'AccountDetail', description: 'One account, with how many people and active projects it has.' })

export const Member = z
  .object({
    user_id: uuid,
    email: z.string().nullable(),
    account_role: AccountRole,
    explicit_project_count: z.number().int(),
    projects: z.array(z.object({ project_id: uuid, name: z.string(), role: ProjectRole })),
    groups: z.array(z.object({ group_id: uuid, name: z.string() })),
    active_pat_count: z.number().int(),
    joined_at: instant,
  })
  .meta({ id: 'Member', description: 'Somebody who belongs to an account.' })

export const ProjectGrant = z
  .object({ project_id: uuid, role: ProjectRole })
  .meta({ id: 'ProjectGrant', description: 'A project and the role somebody gets in it.' })

const mailed = {
  expires_at: instant,
  invite_url: z.string(),
  email_sent: z.boolean(),
  email_skip_reason: z.enum(['email_not_configured']).nullable(),
}

export const Invite = z
  .object({
    invite_id: uuid,
    email: z.string(),
    initial_role: InvitedRole,
    invited_by: uuid.nullable(),
    created_at: instant,
    expires_at: instant,
    invite_url: z.string(),
  })
  .meta({ id: 'Invite', description: 'An invitation that nobody has accepted yet.' })

export const Token = z
  .object({
    token_id: uuid,
    name: z.string(),
    project_id: uuid.nullable(),
    public_key: z.string(),
    status: z.enum(['active', 'revoked']),
    expires_at: instant.nullable(),
    last_used_at: instant.nullable(),
    created_at: instant,
    revoked_at: instant.nullable(),
  })
  .meta({ id: 'Token', description: 'A key, without its secret.' })

const grantList = z.union([z.literal('all'), z.array(z.string()).readonly()]).nullable()

export const CallerIdentity = z
  .object({
    user_id: z.string(),
    email: z.string(),
    token_context: z.object({
      auth_type: z.enum(['session', 'pat', 'oauth', 'service_account', 'api_key']),
      project_id: uuid.nullable(),
      session_id: uuid.nullable(),
      agent: z.string().nullable(),
      connectors: grantList,
      svc_cli: grantList,
      env: grantList,
    }),
    accounts: z.array(z.object({ account_id: uuid, slug: z.string(), name: z.string(), role: AccountRole })),
  })
  .meta({ id: 'CallerIdentity', description: 'Who a credential stands for and what it is bound to.' })

// Fixed words come before `:accountId`, which would match them too.

export const me = operation({
  id: 'accounts.me',
  at: 'GET /v1/accounts/me',
  summary: 'Who this credential stands for',
  needs: 'signed-in',
  audit: 'request',
  returns: CallerIdentity,
})

export const listTokens = operation({
  id: 'accounts.tokens.list',
  at: 'GET /v1/accounts/tokens',
  summary: 'List keys of an account, newest first',
  needs: 'token.read',
  audit: 'request',
  query: z.object({ account_id: uuid.optional(), mine: queryFlag.optional(), cursor: cursor.optional() }),
  returns: z.array(Token),
})

export const createToken = operation({
  id: 'accounts.tokens.create',
  at: 'POST /v1/accounts/tokens',
  summary: 'Mint a key; its secret is shown once',
  description:
    'A signed-in person or an account-wide key makes keys for itself; any other credential needs `token.create`. A key for one project also needs `project.credentials.issue` there.',
  needs: 'account-member',
  mayNeed: ['token.create', 'project.credentials.issue'],
  audit: 'iam.token.create',
  body: z.object({
    name: line(255),
    account_id: uuid.optional(),
    expires_at: instant.nullable().optional(),
    project_id: uuid.nullable().optional(),
  }),
  returns: Token.pick({
    token_id: true,
    name: true,
    project_id: true,
    public_key: true,
    status: true,
    expires_at: true,
    created_at: true,
  })
    .extend({ secret_key: z.string() })
    .meta({ id: 'TokenWithSecret' }),
  status: 201,
})

export const revokeToken = operation({
  id: 'accounts.tokens.revoke',
  at: 'DELETE /v1/accounts/tokens/:tokenId',
  summary: 'Revoke a key at once',
  needs: 'account-member',
  mayNeed: ['token.revoke'],
  audit: 'iam.token.revoke',
  query: z.object({ account_id: uuid.optional() }),
  returns: ok,
})

export const list = operation({
  id: 'accounts.list',
  at: 'GET /v1/accounts',
  summary: 'List the accounts you belong to: owned, administered, others; oldest first',
  description:
    'Makes the personal account of somebody who belongs to none, and accepts open invitations to your address that carry no project.',
  needs: 'user',
  audit: 'request',
  query: z.object({ cursor: cursor.optional() }),
  returns: z.array(Account),
})

export const create = operation({
  id: 'accounts.create',
  at: 'POST /v1/accounts',
  summary: 'Create an account and own it',
  needs: 'user',
  audit: 'account.create',
  body: z.object({ name: line(255) }),
  returns: Account,
  status: 201,
  errors: ['account_creation_restricted'],
})

export const get = operation({
  id: 'accounts.get',
  at: `GET ${base}`,
  summary: 'One account',
  needs: 'account-member',
  audit: 'request',
  returns: AccountDetail,
})

export const updateName = operation({
  id: 'accounts.updateName',
  at: `PATCH ${base}`,
  summary: 'Rename an account',
  needs: 'account.write',
  audit: 'account.update',
  body: z.object({ name: line(255) }),
  returns: Account,
})

export const leave = operation({
  id: 'accounts.leave',
  at: `POST ${base}/leave`,
  summary: 'Leave an account',
  needs: 'user',
  audit: 'account.member.leave',
  returns: ok,
  errors: ['last_owner'],
})

const AssetKind = z.enum(['logo', 'icon', 'favicon', 'logo_dark', 'icon_dark', 'favicon_dark'])
const BrandingAnswer = z.object({ branding: Branding, entitled: z.boolean() })
/** Of one picture. */
export const maxAssetBytes = 1024 * 1024

export const getBranding = operation({
  id: 'accounts.branding.get',
  at: `GET ${base}/branding`,
  summary: 'An account’s own name and pictures',
  needs: 'account.read',
  audit: 'request',
  returns: BrandingAnswer,
})

export const updateBranding = operation({
  id: 'accounts.branding.update',
  at: `PUT ${base}/branding`,
  summary: 'Set the name the product goes by in this account',
  needs: 'account.write',
  entitlement: 'branding',
  audit: 'account.branding.update',
  body: z.object({
    app_name: z
      .string()
      .max(1024)
      .regex(/^[^\p{Cc}]*$/u, 'must not contain control characters')
      .transform((name) => name.trim().replace(/\s+/gu, ' ') || null)
      .refine((name) => name === null || name.length <= 60, 'must have at most 60 characters')
      .nullable(),
  }),
  returns: BrandingAnswer,
})

export const uploadAsset = operation({
  id: 'accounts.branding.uploadAsset',
  at: `POST ${base}/branding/assets/:kind`,
  summary: 'Upload a picture',
  description: 'PNG, JPEG, WebP, ICO, or SVG without anything that runs; at most 1 MiB. The bytes decide the type.',
  needs: 'account.write',
  entitlement: 'branding',
  audit: 'account.branding.asset.upload',
  params: { kind: AssetKind },
  body: multipart(z.object({}), ['file']),
  maxBodyBytes: maxAssetBytes + 64 * 1024,
  returns: BrandingAnswer,
  errors: ['unsafe_image', 'malformed_request'],
  // The same bytes twice are the same picture.
  idempotent: false,
})

export const removeAsset = operation({
  id: 'accounts.branding.removeAsset',
  at: `DELETE ${base}/branding/assets/:kind`,
  summary: 'Remove a picture',
  needs: 'account.write',
  audit: 'account.branding.asset.remove',
  params: { kind: AssetKind },
  returns: BrandingAnswer,
})

export const resetBranding = operation({
  id: 'accounts.branding.reset',
  at: `DELETE ${base}/branding`,
  summary: 'Remove the name and all pictures',
  needs: 'account.write',
  audit: 'account.branding.reset',
  returns: BrandingAnswer,
})

export const brandingFile = operation({
  id: 'accounts.branding.file',
  at: 'GET /v1/branding/:accountId/:file{[0-9a-f]{64}\\.[a-z]{3,4}}',
  summary: 'A picture of an account, by the hash of its bytes',
  needs: 'public',
  audit: 'none',
  returns: bytes('application/octet-stream'),
})

export const members = operation({
  id: 'accounts.members',
  at: `GET ${base}/members`,
  summary: 'List the people of an account, by role and address',
  description:
    'Projects, groups and keys are filled in on your own row, and on all rows for callers with `member.invite`.',
  needs: 'account-member',
  mayNeed: ['member.invite'],
  audit: 'request',
  query: z.object({ cursor: cursor.optional() }),
  returns: z.array(Member),
})

export const invite = operation({
  id: 'accounts.invite',
  at: `POST ${base}/members`,
  summary: 'Add somebody by address, or invite them',
  needs: 'member.invite',
  audit: 'account.member.invite',
  body: z.object({
    email,
    role: InvitedRole.default('member'),
    project_grants: z
      .array(z.object({ project_id: uuid, role: ProjectRole.default('member') }))
      .max(100)
      .default([]),
  }),
  returns: z.union([
    z.object({
      status: z.literal('added'),
      user_id: uuid,
      email: z.string(),
      account_role: AccountRole,
      project_grants: z.array(ProjectGrant),
    }),
    z.object({
      status: z.literal('pending'),
      invite_id: uuid,
      email: z.string(),
      account_role: InvitedRole,
      project_grants: z.array(ProjectGrant),
      ...mailed,
    }),
  ]),
  status: 201,
  errors: ['already_member', 'over_email_send_rate_limit'],
})

export const updateMemberRole = operation({
  id: 'accounts.updateMemberRole',
  at: `PATCH ${base}/members/:userId`,
  summary: 'Change somebody’s role in an account',
  description: 'Making or changing an owner needs `member.super_admin.grant` besides.',
  needs: 'member.update',
  mayNeed: ['member.super_admin.grant'],
  audit: 'account.member.update',
  body: z.object({ role: AccountRole }),
  returns: z.object({ user_id: uuid, account_role: AccountRole, unchanged: z.literal(true).optional() }),
  errors: ['last_owner'],
})

export const removeMember = operation({
  id: 'accounts.removeMember',
  at: `DELETE ${base}/members/:userId`,
  summary: 'Remove somebody from an account, with their roles and keys in it',
  description: 'Removing an owner needs `member.super_admin.grant` besides.',
  needs: 'member.remove',
  mayNeed: ['member.super_admin.grant'],
  audit: 'account.member.remove',
  returns: ok,
  errors: ['last_owner'],
})

export const invites = operation({
  id: 'accounts.invites',
  at: `GET ${base}/invites`,
  summary: 'List open invitations, newest first',
  description: 'Empty for members without `member.invite`.',
  needs: 'account-member',
  mayNeed: ['member.invite'],
  audit: 'request',
  query: z.object({ cursor: cursor.optional() }),
  returns: z.array(Invite),
})

export const cancelInvite = operation({
  id: 'accounts.cancelInvite',
  at: `DELETE ${base}/invites/:inviteId`,
  summary: 'Cancel an invitation',
  needs: 'member.invite',
  audit: 'account.invite.cancel',
  returns: ok,
})

export const resendInvite = operation({
  id: 'accounts.resendInvite',
  at: `POST ${base}/invites/:inviteId/resend`,
  summary: 'Send an invitation again; its validity starts anew',
  needs: 'member.invite',
  audit: 'account.invite.resend',
  returns: ok.extend(mailed),
  errors: ['over_email_send_rate_limit'],
})
