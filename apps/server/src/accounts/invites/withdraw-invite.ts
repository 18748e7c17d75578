import { pendingPrincipalId } from '../../access/index.ts'
import type { Tx } from '../../kernel/database/index.ts'
import type { Parts } from '../parts.ts'
import { deleteInvite, type InviteRow } from '../store/invites.ts'

/** The invitation is gone, and with it what waited for its address because of it. */
export async function withdrawInvite(parts: Parts, tx: Tx, invite: InviteRow): Promise<void> {
  await takePendingProjects(parts, tx, invite)
  await deleteInvite(tx.db, invite.inviteId)
}

/** What an invitation was going to give; assignments that wait for the address for other reasons stay. */
export async function takePendingProjects(
  parts: Parts,
  tx: Tx,
  { accountId, email, projectGrants }: Pick<InviteRow, 'accountId' | 'email' | 'projectGrants'>,
): Promise<void> {
  const principal = { type: 'pending', id: pendingPrincipalId(email) } as const
  for (const { project_id: projectId } of projectGrants) {
    await parts.access.revokeRoles(tx, { accountId, principal, projectId, onObject: false })
  }
}
