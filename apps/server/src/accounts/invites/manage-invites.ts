import { problem } from '../../kernel/http/index.ts'
import type { Principal } from '../../kernel/principal.ts'
import type { Parts } from '../parts.ts'
import { lockAccount } from '../store/accounts.ts'
import { changeInvite, findInviteView, type InviteRow, lockInvite, openById } from '../store/invites.ts'
import { inviteTtlMs, inviteUrl, sendInvite } from './send-invite.ts'
import { withdrawInvite } from './withdraw-invite.ts'

export function toInvite(parts: Parts, row: InviteRow) {
  return {
    invite_id: row.inviteId,
    email: row.email,
    initial_role: row.initialRole,
    invited_by: row.invitedBy,
    created_at: row.createdAt.toISOString(),
    expires_at: row.expiresAt.toISOString(),
    invite_url: inviteUrl(parts, row.inviteId),
  }
}

/** Cancelling what is gone is done already. */
export async function cancelInvite(parts: Parts, accountId: string, inviteId: string, principal: Principal) {
  await parts.kernel.database.transact(principal.actor, async (tx) => {
    await lockAccount(tx, accountId)
    const invite = await lockInvite(tx.db, openById(accountId, inviteId))
    if (!invite) return
    await withdrawInvite(parts, tx, invite)
    await tx.audit({
      action: 'account.invite.cancel',
      outcome: 'success',
      accountId,
      resourceType: 'account_invite',
      resourceId: inviteId,
    })
  })
}

/** Also revives one that has expired. */
export async function resendInvite(parts: Parts, accountId: string, inviteId: string, principal: Principal) {
  return parts.kernel.database.transact(principal.actor, async (tx) => {
    await lockAccount(tx, accountId)
    const found = await lockInvite(tx.db, openById(accountId, inviteId))
    if (!found) throw problem('not_found', { say: 'There is no such open invitation.' })
    const expiresAt = new Date(parts.kernel.clock.nowMs() + inviteTtlMs)
    await changeInvite(tx.db, inviteId, { expiresAt })
    const mailed = await sendInvite(parts, tx, { ...found, expiresAt }, principal.email)
    await tx.audit({
      action: 'account.invite.resend',
      outcome: 'success',
      accountId,
      resourceType: 'account_invite',
      resourceId: inviteId,
      after: { expires_at: mailed.expires_at },
    })
    return { ok: true as const, ...mailed }
  })
}

/** To anybody but its addressee an invitation tells only its state. */
export async function describeInvite({ kernel }: Parts, inviteId: string, principal: Principal) {
  const found = await findInviteView(kernel.database.sql, inviteId)
  if (!found) throw problem('not_found', { say: 'There is no such invitation.' })
  const isMine = found.email === principal.email
  const forMe = <T>(value: T) => (isMine ? value : null)
  return {
    invite_id: found.inviteId,
    account_id: forMe(found.accountId),
    account_name: forMe(found.accountName),
    email: forMe(found.email),
    initial_role: forMe(found.initialRole),
    inviter_email: forMe(found.inviterEmail),
    created_at: forMe(found.createdAt.toISOString()),
    expires_at: forMe(found.expiresAt.toISOString()),
    expired: found.acceptedAt === null && found.expiresAt <= kernel.clock.now(),
    accepted_at: found.acceptedAt?.toISOString() ?? null,
    email_matches_caller: isMine,
  }
}
