import type { operations } from '@svc/contract'
import { type Call, problem } from '../../kernel/http/index.ts'
import type { Parts } from '../parts.ts'
import { readExpiry } from '../read-expiry.ts'
import { grantAccess, takeRole } from './grant-access.ts'

type Ops = typeof operations.projectAccess

export async function updateAccess(parts: Parts, call: Call<Ops['update']>) {
  const { accountId, projectId } = call
  const userId = call.params.userId.toLowerCase()
  const { role } = call.body
  const expiresAt = readExpiry(parts, call.body.expires_at)
  return parts.kernel.database.transact(call.actor, async (tx) => {
    await parts.invites.lockAccount(tx, accountId)
    const accountRole = await parts.access.readAccountRole(tx, accountId, userId)
    if (accountRole === undefined) throw notMember()
    const member = await grantAccess(parts, tx, { accountId, projectId, userId, role, expiresAt }, accountRole)
    await tx.audit({
      action: 'project.access.update',
      outcome: 'success',
      resourceType: 'user',
      resourceId: userId,
      after: { project_role: member.project_role, expires_at: expiresAt?.toISOString() ?? null },
    })
    return member
  })
}

/** What a group or a custom role gives stays: this takes the role that somebody was given themselves. */
export async function revokeAccess(parts: Parts, call: Call<Ops['revoke']>) {
  const { accountId, projectId } = call
  const userId = call.params.userId.toLowerCase()
  await parts.kernel.database.transact(call.actor, async (tx) => {
    await parts.invites.lockAccount(tx, accountId)
    const accountRole = await parts.access.readAccountRole(tx, accountId, userId)
    if (accountRole === undefined) throw notMember()
    if (accountRole !== 'member') throw problem('implicit_access')
    await parts.invites.forgetOffers(tx, { accountId, projectId, principal: { type: 'user', id: userId } })
    if ((await takeRole(parts, tx, { accountId, projectId, userId })) === 0) throw noRole()
    await tx.audit({
      action: 'project.access.revoke',
      outcome: 'success',
      resourceType: 'user',
      resourceId: userId,
    })
  })
  return { ok: true as const }
}

const notMember = () =>
  problem('not_found', { say: 'This person does not belong to the account.', next: 'Invite them by their address.' })

const noRole = () =>
  problem('not_found', {
    say: 'This person has no role of their own in the project.',
    next: 'If a group gives them access, take them out of the group.',
  })
