import { pendingPrincipalId } from '../../access/index.ts'
import type { Tx } from '../../kernel/database/index.ts'
import { lockAccount } from '../store/accounts.ts'
import { changeInvite, type InviteRow, lockInvitesTo } from '../store/invites.ts'

export interface RevokedOffer {
  readonly accountId: string
  readonly projectId: string
  /** Somebody who accepted, or whoever an invitation still waits for. */
  readonly principal: { readonly type: string; readonly id: string }
}

/**
 * Accepting an invitation, also for a second time, gives what is missing of its projects. What was taken away since then
 * must stay away: no invitation of theirs offers the project any longer.
 */
export async function forgetOffers(tx: Tx, { accountId, projectId, principal }: RevokedOffer): Promise<void> {
  if (principal.type !== 'user' && principal.type !== 'pending') return
  await lockAccount(tx, accountId)
  const isTheirs = ({ acceptedAt, acceptedBy, email }: InviteRow) =>
    principal.type === 'user'
      ? acceptedBy === principal.id
      : acceptedAt === null && pendingPrincipalId(email) === principal.id
  for (const invite of await lockInvitesTo(tx.db, accountId, projectId)) {
    if (!isTheirs(invite)) continue
    const projectGrants = invite.projectGrants.filter(({ project_id }) => project_id !== projectId)
    await changeInvite(tx.db, invite.inviteId, { projectGrants })
  }
}
