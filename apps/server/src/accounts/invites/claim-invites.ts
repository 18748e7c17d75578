import type { Actor } from '../../kernel/actor.ts'
import type { Parts } from '../parts.ts'
import { lockPerson } from '../store/accounts.ts'
import { hasPlainInvite, listInvitesTo, lockInviteInAccount } from '../store/invites.ts'
import { acceptRow } from './accept-invite.ts'

/**
 * Accepts the open invitations to somebody's address that carry no project: those are a plain membership, and asking
 * would add nothing. An address that nobody proved claims nothing: whoever signed up with it may have guessed it, and
 * joins by the link of the invitation.
 */
export async function claimInvites(parts: Parts, userId: string, actor: Actor): Promise<void> {
  const { database, clock } = parts.kernel
  if (!(await hasPlainInvite(database.sql, userId, clock.now()))) return
  await database.transact(actor, async (tx) => {
    const person = await lockPerson(tx, userId)
    if (!person?.isConfirmed) return
    for (const { inviteId } of await listInvitesTo(tx.db, person.email, clock.now())) {
      const invite = await lockInviteInAccount(tx, inviteId)
      const isOpen = invite && invite.acceptedAt === null && invite.expiresAt > clock.now()
      if (isOpen && invite.projectGrants.length === 0) await acceptRow(parts, tx, invite, person)
    }
  })
}
