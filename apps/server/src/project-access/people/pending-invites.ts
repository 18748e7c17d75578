import type { operations } from '@svc/contract'
import { answerPage, type Call, pageSize, readIdCursor } from '../../kernel/http/index.ts'
import type { Parts } from '../parts.ts'
import { listPendingInvites as listRows } from '../store/people.ts'
import { requireMayHandOver, requireOffer, withdrawOffer } from './project-invites.ts'

type Ops = typeof operations.projectAccess

export async function listPendingInvites(parts: Parts, call: Call<Ops['pendingInvites']>) {
  const { accountId, projectId } = call
  const { database, clock } = parts.kernel
  const page = { beforeId: readIdCursor(call.query.cursor), limit: pageSize + 1 }
  const rows = await listRows(database.sql, { accountId, projectId }, page)
  const now = clock.now()
  return answerPage(
    rows,
    ({ inviteId }) => inviteId,
    (shown) => ({
      pending: shown.map((row) => ({
        invite_id: row.inviteId,
        email: row.email,
        project_role: row.role,
        expires_at: row.grantExpiresAt,
        invited_by_email: row.invitedByEmail,
        created_at: row.createdAt.toISOString(),
        invite_expires_at: row.expiresAt.toISOString(),
        invite_expired: row.expiresAt <= now,
      })),
    }),
  )
}

export async function resendInvite(parts: Parts, call: Call<Ops['resendInvite']>) {
  const { accountId, projectId, principal } = call
  const { inviteId } = call.params
  await parts.kernel.database.transact(call.actor, async (tx) => {
    await parts.invites.lockAccount(tx, accountId)
    await requireMayHandOver(await requireOffer(parts, tx, { accountId, projectId, inviteId }), call)
  })
  return parts.invites.resend(accountId, inviteId, principal)
}

export async function revokeInvite(parts: Parts, call: Call<Ops['revokeInvite']>) {
  const { accountId, projectId } = call
  const { inviteId } = call.params
  return parts.kernel.database.transact(call.actor, async (tx) => {
    await parts.invites.lockAccount(tx, accountId)
    const invite = await requireOffer(parts, tx, { accountId, projectId, inviteId })
    const { isCancelled } = await withdrawOffer(parts, tx, invite, projectId)
    await tx.audit({
      action: 'project.access.revoke_invite',
      outcome: 'success',
      resourceType: 'account_invite',
      resourceId: inviteId,
      metadata: { invitation_cancelled: isCancelled },
    })
    return { ok: true as const, invitation_cancelled: isCancelled }
  })
}
