import { pendingPrincipalId, projectRoleIds } from '../../access/index.ts'
import type { InviteGrant, InviteRow } from '../../accounts/index.ts'
import type { Tx } from '../../kernel/database/index.ts'
import { type Call, problem } from '../../kernel/http/index.ts'
import { isUuid } from '../../kernel/ids/index.ts'
import type { Parts } from '../parts.ts'

/** What invitations of an account offer of one project. The caller has locked the account. */

export interface Offer {
  readonly accountId: string
  readonly projectId: string
  readonly email: string
  readonly role: 'manager' | 'member'
  readonly expiresAt: Date | null
}

/** Who offers: what they may do in the account decides over invitations that give more than projects. */
export type Offering = Pick<Call, 'principal' | 'can'>

/** One invitation per account and address: other projects in it stay, the same one gets the new role. */
export async function offerProject(parts: Parts, tx: Tx, offer: Offer, offering: Offering) {
  const { principal } = offering
  const { accountId, projectId, email, role, expiresAt } = offer
  const open = await findCurrent(parts, tx, offer)
  if (open) await requireMayHandOver(open, offering)
  const grant: InviteGrant = { project_id: projectId, role, expires_at: expiresAt?.toISOString() ?? null }
  const invite = await parts.invites.put(tx, {
    accountId,
    email,
    initialRole: open?.initialRole ?? 'member',
    projectGrants: [...withoutProject(open, projectId), grant],
    invitedBy: principal.kind === 'user' && isUuid(principal.id) ? principal.id : null,
    expiresAt: new Date(parts.kernel.clock.nowMs() + parts.invites.ttlMs),
  })
  const waiting = { type: 'pending', id: pendingPrincipalId(email) } as const
  const roleId = projectRoleIds[role]
  await parts.access.grantRole(tx, { accountId, principal: waiting, projectId, roleId, expiresAt, source: 'invite' })
  const { expires_at: _validUntil, ...mailed } = await parts.invites.send(tx, invite, principal.email)
  return { inviteId: invite.inviteId, mailed }
}

/** What an expired invitation offered is over: a new one does not bring it back, least of all a role in the account. */
async function findCurrent(parts: Parts, tx: Tx, { accountId, email }: Offer): Promise<InviteRow | undefined> {
  const open = await parts.invites.findOpen(tx, accountId, email)
  if (!open || open.expiresAt > parts.kernel.clock.now()) return open
  await parts.invites.withdraw(tx, open)
  return undefined
}

/** Whoever only manages a project neither prolongs an admin's invitation nor gets its link. */
export async function requireMayHandOver({ initialRole }: InviteRow, offering: Offering): Promise<void> {
  if (initialRole === 'member' || (await offering.can('member.invite'))) return
  throw problem('forbidden', {
    say: 'This address is invited as an admin of the account, who reaches every project.',
    next: 'Ask an owner or admin of the account.',
  })
}

/** An invitation of a plain member that offers no other project goes with it. */
export async function withdrawOffer(parts: Parts, tx: Tx, invite: InviteRow, projectId: string) {
  const { accountId, inviteId, initialRole, email } = invite
  const rest = withoutProject(invite, projectId)
  if (rest.length === 0 && initialRole === 'member') {
    await parts.invites.withdraw(tx, invite)
    return { isCancelled: true }
  }
  const waiting = { type: 'pending', id: pendingPrincipalId(email) } as const
  await parts.access.revokeRoles(tx, { accountId, principal: waiting, projectId, onObject: false })
  await parts.invites.change(tx, inviteId, { projectGrants: rest })
  return { isCancelled: false }
}

/** An invitation that does not offer this project is none of its managers' business. */
export async function requireOffer(
  parts: Parts,
  tx: Tx,
  { accountId, projectId, inviteId }: { accountId: string; projectId: string; inviteId: string },
): Promise<InviteRow> {
  const invite = await parts.invites.find(tx, accountId, inviteId)
  if (!invite || !offers(invite, projectId)) {
    throw problem('not_found', { say: 'There is no such invitation to this project.' })
  }
  if (invite.acceptedAt !== null) throw problem('invite_accepted')
  return invite
}

export function offers({ projectGrants }: InviteRow, projectId: string): boolean {
  return projectGrants.some(({ project_id }) => project_id === projectId)
}

function withoutProject(invite: InviteRow | undefined, projectId: string): InviteGrant[] {
  return (invite?.projectGrants ?? []).filter(({ project_id }) => project_id !== projectId)
}
