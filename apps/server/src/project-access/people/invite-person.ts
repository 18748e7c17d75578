import type { operations } from '@svc/contract'
import type { Tx } from '../../kernel/database/index.ts'
import { answer, type Call } from '../../kernel/http/index.ts'
import type { Parts } from '../parts.ts'
import { readExpiry } from '../read-expiry.ts'
import { grantAccess } from './grant-access.ts'
import { offerProject, offers, withdrawOffer } from './project-invites.ts'

/** Somebody known is added at once; anybody else gets an invitation to accept. */
export async function invitePerson(parts: Parts, call: Call<typeof operations.projectAccess.invite>) {
  const { accountId, projectId } = call
  const { email, role } = call.body
  const expiresAt = readExpiry(parts, call.body.expires_at)
  const after = { project_role: role, expires_at: expiresAt?.toISOString() ?? null }
  return parts.kernel.database.transact(call.actor, async (tx) => {
    await parts.invites.lockAccount(tx, accountId)
    const audit = (resourceType: string, resourceId: string) =>
      tx.audit({ action: 'project.access.invite', outcome: 'success', resourceType, resourceId, after })
    const known = await parts.invites.findKnownPerson(tx, email)
    if (known) {
      const { userId } = known
      const accountRole = await joinAccount(parts, tx, { accountId, projectId, email, userId })
      const member = await grantAccess(parts, tx, { accountId, projectId, userId, role, expiresAt }, accountRole)
      await audit('user', userId)
      return answer(member, { status: 200 })
    }
    const offer = { accountId, projectId, email, role, expiresAt }
    const { inviteId, mailed } = await offerProject(parts, tx, offer, call)
    await audit('account_invite', inviteId)
    const message = mailed.email_sent
      ? 'The invitation is on its way by mail.'
      : 'This instance sends no mail: hand the link over yourself.'
    return { status: 'invited' as const, email, invite_id: inviteId, project_role: role, ...mailed, message }
  })
}

interface Joining {
  readonly accountId: string
  readonly projectId: string
  readonly email: string
  readonly userId: string
}

/** Whoever does not belong to the account yet joins it, and takes what was waiting for their address. */
export async function joinAccount(parts: Parts, tx: Tx, { accountId, projectId, email, userId }: Joining) {
  const current = await parts.access.readAccountRole(tx, accountId, userId)
  if (current !== undefined) return current
  await parts.access.claimPendingAssignments(tx, { accountId, email, userId })
  await parts.access.setAccountRole(tx, { accountId, userId, role: 'member' })
  const open = await parts.invites.findOpen(tx, accountId, email)
  if (open && offers(open, projectId)) await withdrawOffer(parts, tx, open, projectId)
  return 'member' as const
}
