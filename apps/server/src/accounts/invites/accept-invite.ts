import { projectRoleIds } from '../../access/index.ts'
import type { Tx } from '../../kernel/database/index.ts'
import { problem } from '../../kernel/http/index.ts'
import type { Principal } from '../../kernel/principal.ts'
import { grantProjects } from '../members/grant-projects.ts'
import type { Parts } from '../parts.ts'
import { listOwnProjects, lockPerson, type PersonRow } from '../store/accounts.ts'
import { changeInvite, type InviteRow, lockInviteInAccount } from '../store/invites.ts'
import type { MemberRole } from '../store/members.ts'
import { listDirectProjects } from '../store/project-grants.ts'
import { withdrawInvite } from './withdraw-invite.ts'

export interface Accepted {
  account_id: string
  account_role: MemberRole
  already_accepted: boolean
  bootstrap_grants_applied: { project_id: string; role: 'manager' | 'member' }[]
}

/** Joins the account. Repeating it changes nothing but gives again what is missing of the invitation's projects. */
export async function acceptInvite(parts: Parts, inviteId: string, principal: Principal): Promise<Accepted> {
  return parts.kernel.database.transact(principal.actor, async (tx) => {
    const person = await lockPerson(tx, principal.id)
    const invite = await lockInviteInAccount(tx, inviteId)
    if (!invite || !person) throw noInvite()
    requireAddressee(invite, person)
    if (invite.acceptedAt !== null && invite.acceptedBy !== person.userId) throw problem('invite_accepted')
    if (invite.acceptedAt === null && invite.expiresAt <= parts.kernel.clock.now()) throw problem('invite_expired')
    return acceptRow(parts, tx, invite, person)
  })
}

/** The person, the account and the invitation are locked by the caller, who also checked that they belong together. */
export async function acceptRow(parts: Parts, tx: Tx, invite: InviteRow, person: PersonRow): Promise<Accepted> {
  const { accountId, email } = invite
  const { userId } = person
  const isFirst = invite.acceptedAt === null
  const role = await settleRole(parts, tx, invite, userId)
  const claimed = await parts.access.claimPendingAssignments(tx, { accountId, email, userId })
  const applied = role === 'member' ? await applyGrants(parts, tx, invite, userId) : []
  // Owners and admins manage every project already.
  if (role !== 'member' && claimed.length > 0) {
    const principal = { type: 'user', id: userId } as const
    await parts.access.revokeRoles(tx, { accountId, principal, scope: 'project', onObject: false })
  }
  const fromPending = (role === 'member' ? claimed : []).flatMap(({ scopeId, objectType, roleId }) =>
    scopeId !== null && objectType === null && (roleId === projectRoleIds.manager || roleId === projectRoleIds.member)
      ? [{ project_id: scopeId, role: nameOf(roleId) }]
      : [],
  )
  if (isFirst) {
    await changeInvite(tx.db, invite.inviteId, { acceptedAt: parts.kernel.clock.now(), acceptedBy: userId })
  }
  if (isFirst || applied.length > 0) {
    await tx.audit({
      action: 'account.invite.accept',
      outcome: 'success',
      accountId,
      resourceType: 'account_invite',
      resourceId: invite.inviteId,
      metadata: { account_role: role, repeated: !isFirst },
    })
  }
  return {
    account_id: accountId,
    account_role: role,
    already_accepted: !isFirst,
    bootstrap_grants_applied: mergeGrants(fromPending, applied),
  }
}

export async function declineInvite(parts: Parts, inviteId: string, principal: Principal): Promise<void> {
  await parts.kernel.database.transact(principal.actor, async (tx) => {
    const person = await lockPerson(tx, principal.id)
    const invite = await lockInviteInAccount(tx, inviteId)
    if (!invite || !person) throw noInvite()
    requireAddressee(invite, person)
    if (invite.acceptedAt !== null) throw problem('invite_accepted')
    await withdrawInvite(parts, tx, invite)
    await tx.audit({
      action: 'account.invite.decline',
      outcome: 'success',
      accountId: invite.accountId,
      resourceType: 'account_invite',
      resourceId: invite.inviteId,
    })
  })
}

/** Somebody who belongs already keeps the stronger of both roles. */
async function settleRole(parts: Parts, tx: Tx, invite: InviteRow, userId: string): Promise<MemberRole> {
  const { accountId, initialRole } = invite
  const current = await parts.access.readAccountRole(tx, accountId, userId)
  if (invite.acceptedAt !== null) {
    // Whoever was removed since then does not come back by an old link.
    if (current === undefined) throw noInvite()
    return current
  }
  if (current === 'owner' || current === 'admin' || current === initialRole) return current
  await parts.access.setAccountRole(tx, { accountId, userId, role: initialRole, source: 'invite' })
  return initialRole
}

/** Grants on projects that are still there and on which the person holds no role. */
async function applyGrants(parts: Parts, tx: Tx, { accountId, projectGrants }: InviteRow, userId: string) {
  const now = parts.kernel.clock.now()
  const alive = projectGrants.filter(({ expires_at }) => !expires_at || new Date(expires_at) > now)
  const ids = alive.map(({ project_id }) => project_id)
  const active = new Set(await listOwnProjects(parts.kernel.database.sql, accountId, ids))
  const held = new Set(await listDirectProjects(tx, accountId, userId, now))
  const missing = alive.filter(({ project_id }) => active.has(project_id) && !held.has(project_id))
  await grantProjects(parts, tx, accountId, { type: 'user', id: userId }, missing)
  return missing.map(({ project_id, role }) => ({ project_id, role }))
}

function mergeGrants(...lists: Accepted['bootstrap_grants_applied'][]): Accepted['bootstrap_grants_applied'] {
  return [...new Map(lists.flat().map((grant) => [grant.project_id, grant])).values()]
}

const nameOf = (roleId: string) => (roleId === projectRoleIds.manager ? ('manager' as const) : ('member' as const))

function requireAddressee(invite: InviteRow, person: PersonRow): void {
  if (invite.email === person.email) return
  throw problem('forbidden', {
    say: 'This invitation is for another address.',
    next: 'Sign in with the address it was sent to, or ask for an invitation to yours.',
  })
}

const noInvite = () =>
  problem('not_found', { say: 'There is no such invitation.', next: 'Ask whoever invited you to send a new one.' })
