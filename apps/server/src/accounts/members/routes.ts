import { operations } from '@svc/contract'
import { answer, type Handled, handle, pageSize } from '../../kernel/http/index.ts'
import type { Principal } from '../../kernel/principal.ts'
import type { Parts } from '../parts.ts'
import { changeMemberRole, notMember } from './change-role.ts'
import { inviteMember } from './invite-member.ts'
import { listMembers } from './list-members.ts'
import { removeMember } from './remove-member.ts'

export function memberRoutes(parts: Parts): Handled[] {
  const { accounts } = operations
  return [
    handle(accounts.leave, async ({ params, principal }) => {
      const accountId = params.accountId.toLowerCase()
      if (!belongsTo(principal, accountId)) throw notMember()
      const { id: userId, actor } = principal
      await removeMember(parts, { accountId, userId, action: 'account.member.leave', actor })
      return { ok: true as const }
    }),
    handle(accounts.members, async (call) => {
      const { accountId, principal, query } = call
      const reader = { userId: principal.id, seesAll: await call.can('member.invite') }
      const page = { cursor: query.cursor, limit: pageSize }
      const { members, next } = await listMembers(parts, accountId, reader, page)
      return answer(members, next === undefined ? {} : { headers: { 'x-next-cursor': next } })
    }),
    handle(accounts.invite, ({ accountId, body, principal }) => inviteMember(parts, accountId, body, principal)),
    handle(accounts.updateMemberRole, async (call) => {
      const userId = call.params.userId.toLowerCase()
      return changeMemberRole(parts, { accountId: call.accountId, userId, role: call.body.role }, call)
    }),
    handle(accounts.removeMember, async (call) => {
      await removeMember(parts, {
        accountId: call.accountId,
        userId: call.params.userId.toLowerCase(),
        action: 'account.member.remove',
        actor: call.actor,
        require: (permission) => call.require(permission),
      })
      return { ok: true as const }
    }),
  ]
}

/** A key of one account says nothing about another. */
function belongsTo({ homeAccountId, authType }: Principal, accountId: string): boolean {
  return homeAccountId === undefined || authType === 'oauth' || homeAccountId === accountId
}
