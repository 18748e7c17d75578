import type { Actor } from '../kernel/actor.ts'
import type { Capability } from '../kernel/capability.ts'
import { acceptInvite, declineInvite } from './invites/accept-invite.ts'
import { describeInvite } from './invites/manage-invites.ts'
import type { Parts } from './parts.ts'
import { ensurePersonalAccount } from './personal-account.ts'
import { accountRoutes } from './routes.ts'
import { hasOpenInvite } from './store/invites.ts'

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
      describe: (inviteId: string, principal: Parameters<typeof describeInvite>[2]) =>
        describeInvite(parts, inviteId, principal),
      accept: (inviteId: string, principal: Parameters<typeof acceptInvite>[2]) =>
        acceptInvite(parts, inviteId, principal),
      decline: (inviteId: string, principal: Parameters<typeof declineInvite>[2]) =>
        declineInvite(parts, inviteId, principal),
    },
  }
}
