import { z } from 'zod'
import { AccountRole, ProjectGrant } from './accounts.ts'
import { operation } from './kernel/operation.ts'
import { instant, uuid } from './kernel/shapes.ts'

/** An invitation in the hands of whoever got it: the id of the invitation is all they need besides being signed in. */

const perAddress = { limit: 20, windowMs: 60_000, by: 'ip' } as const

export const InviteDescription = z
  .object({
    invite_id: uuid,
    account_id: uuid.nullable(),
    account_name: z.string().nullable(),
    email: z.string().nullable(),
    initial_role: AccountRole.nullable(),
    inviter_email: z.string().nullable(),
    created_at: instant.nullable(),
    expires_at: instant.nullable(),
    expired: z.boolean(),
    accepted_at: instant.nullable(),
    email_matches_caller: z.boolean(),
  })
  .meta({
    id: 'InviteDescription',
    description: 'What an invitation offers. To anybody but its addressee it tells only its state.',
  })

export const describe = operation({
  id: 'accountInvites.describe',
  at: 'GET /v1/account-invites/:inviteId',
  summary: 'What an invitation offers',
  needs: 'user',
  audit: 'request',
  returns: InviteDescription,
})

export const accept = operation({
  id: 'accountInvites.accept',
  at: 'POST /v1/account-invites/:inviteId/accept',
  summary: 'Join the account',
  description: 'Repeating it changes nothing, but gives again what is missing of the invitation’s projects.',
  needs: 'user',
  rateLimit: perAddress,
  audit: 'account.invite.accept',
  returns: z.object({
    account_id: uuid,
    account_role: AccountRole,
    already_accepted: z.boolean(),
    bootstrap_grants_applied: z.array(ProjectGrant),
  }),
  errors: ['invite_accepted', 'invite_expired'],
  // Safe to repeat by itself.
  idempotent: false,
})

export const decline = operation({
  id: 'accountInvites.decline',
  at: 'POST /v1/account-invites/:inviteId/decline',
  summary: 'Decline; the invitation is gone',
  needs: 'user',
  audit: 'account.invite.decline',
  returns: z.object({ ok: z.literal(true) }),
  errors: ['invite_accepted'],
})
