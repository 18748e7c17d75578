import type { Tx } from '../../kernel/database/index.ts'
import type { Parts } from '../parts.ts'
import { lockAccount } from '../store/accounts.ts'
import type { InviteRow } from '../store/invites.ts'

const dayMs = 24 * 3_600_000
/** How long an invitation can be accepted. */
export const inviteTtlMs = 14 * dayMs

export interface Mailed {
  expires_at: string
  invite_url: string
  email_sent: boolean
  email_skip_reason: 'email_not_configured' | null
}

export const inviteUrl = ({ publicUrl }: Parts, inviteId: string) => `${publicUrl()}/invite/${inviteId}`

/** Mails the link, when the transaction is committed. Without a mail server it waits in the local mailbox. */
export async function sendInvite(
  parts: Parts,
  tx: Tx,
  invite: InviteRow,
  inviter: string | undefined,
): Promise<Mailed> {
  const { inviteId, accountId, email, expiresAt } = invite
  await parts.mail.limitByAddress(email)
  const account = await lockAccount(tx, accountId)
  const url = inviteUrl(parts, inviteId)
  await parts.mail.send(tx, { to: email, ...writeInvite(account?.name ?? 'an account', inviter, url) })
  return {
    expires_at: expiresAt.toISOString(),
    invite_url: url,
    email_sent: parts.mail.canLeave,
    email_skip_reason: parts.mail.canLeave ? null : 'email_not_configured',
  }
}

/** Names are what somebody chose to write: quoted, on one line, and never in a place of our own words. */
function writeInvite(accountName: string, inviter: string | undefined, url: string) {
  const name = accountName.replace(/\s+/gu, ' ').slice(0, 80)
  return {
    subject: `You are invited to “${name}”`,
    text: [
      `${inviter ?? 'Somebody'} invites you to the account “${name}”.`,
      '',
      'Open this link, sign in or sign up with this address, and accept or decline:',
      url,
      '',
      'The invitation is valid for fourteen days. If you did not expect it, ignore this mail.',
      '',
    ].join('\n'),
  }
}
