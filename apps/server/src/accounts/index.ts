import type { Actor } from '../kernel/actor.ts'
import type { Capability } from '../kernel/capability.ts'
import type { Principal } from '../kernel/principal.ts'
import { acceptInvite, declineInvite } from './invites/accept-invite.ts'
import { createInviteService } from './invites/invite-service.ts'
import { describeInvite } from './invites/manage-invites.ts'
import type { Parts } from './parts.ts'
import { ensurePersonalAccount } from './personal-account.ts'
import { accountRoutes } from './routes.ts'
import { hasOpenInvite } from './store/invites.ts'

export type { InviteService } from './invites/invite-service.ts'
export type { Mailed } from './invites/send-invite.ts'
export type { InviteGrant } from './schema.ts'
export type { InviteRow } from './store/invites.ts'
export { listMemberRows, type MemberPosition, type MemberRow } from './store/members.ts'
export type AccountsOptions = Parts
export type Accounts = ReturnType<typeof createAccounts>

/** Accounts, the people in them, their look and their keys. */
export function createAccounts(parts: AccountsOptions) {
  const { kernel } = parts
  const capability: Capability = { routes: accountRoutes(parts) }
  return {
    ...capability,

    /** The account of a call by somebody who belongs to none. Safe to call twice. */
    ensurePersonalAccount: (userId: string, actor: Actor = { type: 'human', userId }) =>
      ensurePersonalAccount(parts, userId, actor),
    /** Whether somebody invited this address, so that it may sign up. */
    hasPendingInvite: (email: string) => hasOpenInvite(kernel.database.sql, email, kernel.clock.now()),
    /** For the page an invitation's link leads to. */
    accountInvites: {
      describe: (inviteId: string, principal: Principal) => describeInvite(parts, inviteId, principal),
      accept: (inviteId: string, principal: Principal) => acceptInvite(parts, inviteId, principal),
      decline: (inviteId: string, principal: Principal) => declineInvite(parts, inviteId, principal),
    },
    /** For access to projects, whose invitations are the account's too. */
    invites: createInviteService(parts),
  }
}
