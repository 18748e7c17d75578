import { pendingPrincipalId } from '../../access/index.ts'
import type { Tx } from '../../kernel/database/index.ts'
import { problem } from '../../kernel/http/index.ts'
import { isUuid } from '../../kernel/ids/index.ts'
import type { Principal } from '../../kernel/principal.ts'
import { findKnownPerson } from '../invites/find-known-person.ts'
import { inviteTtlMs, sendInvite } from '../invites/send-invite.ts'
import { takePendingProjects, withdrawInvite } from '../invites/withdraw-invite.ts'
import type { Parts } from '../parts.ts'
import { listOwnProjects, lockAccount } from '../store/accounts.ts'
import { lockInvite, openByEmail, putInvite } from '../store/invites.ts'
import { grantProjects } from './grant-projects.ts'

export interface InviteRequest {
  readonly email: string
  readonly role: 'admin' | 'member'
  readonly project_grants: readonly { project_id: string; role: 'manager' | 'member' }[]
}

/** Somebody known is added at once; anybody else gets an invitation to accept. */
export async function inviteMember(parts: Parts, accountId: string, request: InviteRequest, principal: Principal) {
  const { database } = parts.kernel
  const grants = await keepOwnGrants(parts, accountId, request)
  return database.transact(principal.actor, async (tx) => {
    await lockAccount(tx, accountId)
    const known = await findKnownPerson(tx, request.email)
    if (known) return addKnown(parts, tx, accountId, { ...request, userId: known.userId, grants })
    return addPending(parts, tx, accountId, { ...request, grants }, principal)
  })
}

/** Owners and admins reach every project anyway, and another account's projects are not ours to give. */
async function keepOwnGrants(parts: Parts, accountId: string, { role, project_grants }: InviteRequest) {
  if (role !== 'member') return []
  const asked = new Map(project_grants.map((grant) => [grant.project_id.toLowerCase(), grant.role]))
  const own = await listOwnProjects(parts.kernel.database.sql, accountId, [...asked.keys()])
  return own.map((projectId) => ({ project_id: projectId, role: asked.get(projectId) ?? ('member' as const) }))
}

type Grants = Awaited<ReturnType<typeof keepOwnGrants>>

async function addKnown(
  parts: Parts,
  tx: Tx,
  accountId: string,
  { userId, email, role, grants }: { userId: string; email: string; role: 'admin' | 'member'; grants: Grants },
) {
  if ((await parts.access.readAccountRole(tx, accountId, userId)) !== undefined) {
    throw problem('already_member', { next: 'Change their role instead.' })
  }
  const open = await lockInvite(tx.db, openByEmail(accountId, email))
  if (open) await withdrawInvite(parts, tx, open)
  await parts.access.claimPendingAssignments(tx, { accountId, email, userId })
  await parts.access.setAccountRole(tx, { accountId, userId, role })
  await grantProjects(parts, tx, accountId, { type: 'user', id: userId }, grants)
  await tx.audit({
    action: 'account.member.add',
    outcome: 'success',
    accountId,
    resourceType: 'user',
    resourceId: userId,
    after: { account_role: role, project_grants: grants },
  })
  return { status: 'added' as const, user_id: userId, email, account_role: role, project_grants: grants }
}

async function addPending(
  parts: Parts,
  tx: Tx,
  accountId: string,
  { email, role, grants }: { email: string; role: 'admin' | 'member'; grants: Grants },
  principal: Principal,
) {
  const now = parts.kernel.clock.now()
  const previous = await lockInvite(tx.db, openByEmail(accountId, email))
  if (previous) await takePendingProjects(parts, tx, previous)
  const invitedBy = principal.kind === 'user' && isUuid(principal.id) ? principal.id : null
  const expiresAt = new Date(now.getTime() + inviteTtlMs)
  const values = { accountId, email, initialRole: role, projectGrants: grants, invitedBy, expiresAt }
  const invite = await putInvite(tx.db, values, now)
  await grantProjects(parts, tx, accountId, { type: 'pending', id: pendingPrincipalId(email) }, grants)
  const mailed = await sendInvite(parts, tx, invite, principal.email)
  await tx.audit({
    action: 'account.member.invite',
    outcome: 'success',
    accountId,
    resourceType: 'account_invite',
    resourceId: invite.inviteId,
    after: { account_role: role, project_grants: grants, expires_at: mailed.expires_at },
  })
  const { inviteId } = invite
  return {
    status: 'pending' as const,
    invite_id: inviteId,
    email,
    account_role: role,
    project_grants: grants,
    ...mailed,
  }
}
