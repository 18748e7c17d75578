import type { Permission } from '@svc/contract'
import type { Actor } from '../../kernel/actor.ts'
import type { Parts } from '../parts.ts'
import { lockAccount } from '../store/accounts.ts'
import { deleteAcceptedInvites } from '../store/invites.ts'
import { notMember } from './change-role.ts'

interface Removal {
  readonly accountId: string
  readonly userId: string
  readonly action: 'account.member.remove' | 'account.member.leave'
  readonly actor: Actor
  /** Asked when the one who goes is an owner. */
  readonly require?: (permission: Permission) => Promise<void>
}

/** Roles, groups, keys and the membership go together; the last owner stays. */
export async function removeMember(parts: Parts, removal: Removal): Promise<void> {
  const { accountId, userId, action, actor } = removal
  await parts.kernel.database.transact(actor, async (tx) => {
    await lockAccount(tx, accountId)
    const role = await parts.access.readAccountRole(tx, accountId, userId)
    if (role === undefined) throw notMember()
    if (role === 'owner') await removal.require?.('member.super_admin.grant')
    await parts.access.removeFromAccount(tx, accountId, userId)
    await deleteAcceptedInvites(tx.db, accountId, userId)
    const revoked = await parts.identity.revokeTokens(tx, { accountId, userId })
    await tx.audit({
      action,
      outcome: 'success',
      accountId,
      resourceType: 'user',
      resourceId: userId,
      before: { account_role: role },
      metadata: { revoked_tokens: revoked.length },
    })
  })
}
