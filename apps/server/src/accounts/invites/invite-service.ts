import type { Tx } from '../../kernel/database/index.ts'
import type { Principal } from '../../kernel/principal.ts'
import type { Parts } from '../parts.ts'
import { lockAccount } from '../store/accounts.ts'
import {
  changeInvite,
  findInviteOf,
  type InviteChange,
  type InviteInput,
  type InviteRow,
  lockInvite,
  openByEmail,
  putInvite,
} from '../store/invites.ts'
import { findKnownPerson } from './find-known-person.ts'
import { forgetOffers } from './forget-offers.ts'
import { resendInvite } from './manage-invites.ts'
import { inviteTtlMs, sendInvite } from './send-invite.ts'
import { withdrawInvite } from './withdraw-invite.ts'

export type InviteService = ReturnType<typeof createInviteService>

/**
 * Invitations for other capabilities, in their transactions. Lock the account first: everybody who changes its people or
 * invitations does, so that nobody waits for each other. What a change means is the caller's to audit.
 */
export function createInviteService(parts: Parts) {
  return {
    ttlMs: inviteTtlMs,
    lockAccount,
    /** Who has this address, where it counts as theirs; undefined for somebody to invite. */
    findKnownPerson: findKnownPerson,
    findOpen: (tx: Tx, accountId: string, email: string) => lockInvite(tx.db, openByEmail(accountId, email)),
    /** Open or accepted. */
    find: (tx: Tx, accountId: string, inviteId: string) => findInviteOf(tx.db, accountId, inviteId),
    /** What somebody no longer has on a project, no invitation of theirs gives again. */
    forgetOffers,
    /** One open invitation per account and address: changes the one there is. */
    put: (tx: Tx, invite: InviteInput) => putInvite(tx.db, invite, parts.kernel.clock.now()),
    change: (tx: Tx, inviteId: string, change: InviteChange) => changeInvite(tx.db, inviteId, change),
    send: (tx: Tx, invite: InviteRow, inviter: string | undefined) => sendInvite(parts, tx, invite, inviter),
    withdraw: (tx: Tx, invite: InviteRow) => withdrawInvite(parts, tx, invite),
    /** In a transaction of its own, with its audit event. */
    resend: (accountId: string, inviteId: string, principal: Principal) =>
      resendInvite(parts, accountId, inviteId, principal),
  }
}
