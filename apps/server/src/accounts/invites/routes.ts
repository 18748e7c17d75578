import { operations } from '@svc/contract'
import { answerPage, type Handled, handle, pageSize, readIdCursor } from '../../kernel/http/index.ts'
import type { Parts } from '../parts.ts'
import { listOpenInvites } from '../store/invites.ts'
import { acceptInvite, declineInvite } from './accept-invite.ts'
import { cancelInvite, describeInvite, resendInvite, toInvite } from './manage-invites.ts'

export function inviteRoutes(parts: Parts): Handled[] {
  const { accounts, accountInvites } = operations
  const { database, clock } = parts.kernel
  const ok = { ok: true } as const
  return [
    handle(accounts.invites, async (call) => {
      if (!(await call.can('member.invite'))) return []
      const beforeId = readIdCursor(call.query.cursor)
      const rows = await listOpenInvites(database.db, call.accountId, clock.now(), { beforeId, limit: pageSize + 1 })
      return answerPage(
        rows,
        ({ inviteId }) => inviteId,
        (shown) => shown.map((row) => toInvite(parts, row)),
      )
    }),
    handle(accounts.cancelInvite, async ({ accountId, params, principal }) => {
      await cancelInvite(parts, accountId, params.inviteId, principal)
      return ok
    }),
    handle(accounts.resendInvite, ({ accountId, params, principal }) =>
      resendInvite(parts, accountId, params.inviteId, principal),
    ),
    handle(accountInvites.describe, ({ params, principal }) => describeInvite(parts, params.inviteId, principal)),
    handle(accountInvites.accept, ({ params, principal }) => acceptInvite(parts, params.inviteId, principal)),
    handle(accountInvites.decline, async ({ params, principal }) => {
      await declineInvite(parts, params.inviteId, principal)
      return ok
    }),
  ]
}
