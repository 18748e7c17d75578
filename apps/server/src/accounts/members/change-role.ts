import type { Permission } from '@svc/contract'
import type { Actor } from '../../kernel/actor.ts'
import { problem } from '../../kernel/http/index.ts'
import type { Parts } from '../parts.ts'
import { lockAccount } from '../store/accounts.ts'
import { changeInvite, listAcceptedInvites } from '../store/invites.ts'
import type { MemberRole } from '../store/members.ts'

interface Change {
  readonly accountId: string
  readonly userId: string
  readonly role: MemberRole
}

interface Caller {
  readonly actor: Actor
  require(permission: Permission): Promise<void>
}

/** One change of members at a time per account: what is checked here is still so when it is written. */
export async function changeMemberRole(parts: Parts, { accountId, userId, role }: Change, caller: Caller) {
  return parts.kernel.database.transact(caller.actor, async (tx) => {
    await lockAccount(tx, accountId)
    const current = await parts.access.readAccountRole(tx, accountId, userId)
    if (current === undefined) throw notMember()
    if (current === 'owner' || role === 'owner') await caller.require('member.super_admin.grant')
    if (current === role) return { user_id: userId, account_role: role, unchanged: true as const }
    await parts.access.setAccountRole(tx, { accountId, userId, role })
    // Their direct project roles are gone with this change, so no old invitation may bring them back.
    if (role !== 'member') {
      for (const { inviteId } of await listAcceptedInvites(tx.db, accountId, userId)) {
        await changeInvite(tx.db, inviteId, { projectGrants: [] })
      }
    }
    await tx.audit({
      action: 'account.member.update',
      outcome: 'success',
      accountId,
      resourceType: 'user',
      resourceId: userId,
      before: { account_role: current },
      after: { account_role: role },
    })
    return { user_id: userId, account_role: role }
  })
}

export const notMember = () => problem('not_found', { say: 'This person does not belong to the account.' })
