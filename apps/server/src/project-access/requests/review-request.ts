import type { operations } from '@svc/contract'
import type { Tx } from '../../kernel/database/index.ts'
import { answerPage, type Call, pageSize, problem, readIdCursor } from '../../kernel/http/index.ts'
import { isUuid } from '../../kernel/ids/index.ts'
import type { Parts } from '../parts.ts'
import { grantAccess } from '../people/grant-access.ts'
import { joinAccount } from '../people/invite-person.ts'
import { findEmail } from '../store/people.ts'
import { listPendingRequests, lockRequest, type RequestRow, reviewRequest } from '../store/requests.ts'
import { toRequest } from './request-record.ts'

type Ops = typeof operations.projectAccess

export async function listRequests(parts: Parts, call: Call<Ops['requests']>) {
  const page = { beforeId: readIdCursor(call.query.cursor), limit: pageSize + 1 }
  const rows = await listPendingRequests(parts.kernel.database.db, call.projectId, page)
  return answerPage(
    rows,
    ({ requestId }) => requestId,
    (shown) => ({ requests: shown.map((row) => toRequest(row, row.email)) }),
  )
}

export async function approveRequest(parts: Parts, call: Call<Ops['approveRequest']>) {
  const { accountId, projectId } = call
  return parts.kernel.database.transact(call.actor, async (tx) => {
    await parts.invites.lockAccount(tx, accountId)
    const { row, email } = await requirePending(parts, tx, projectId, call.params.requestId)
    const userId = row.requesterUserId
    const accountRole = await joinAccount(parts, tx, { accountId, projectId, email, userId })
    const grant = { accountId, projectId, userId, role: call.body.role, expiresAt: null }
    const member = await grantAccess(parts, tx, grant, accountRole)
    return { request: toRequest(await review(parts, tx, row, 'approved'), email), member }
  })
}

export async function rejectRequest(parts: Parts, call: Call<Ops['rejectRequest']>) {
  return parts.kernel.database.transact(call.actor, async (tx) => {
    await parts.invites.lockAccount(tx, call.accountId)
    const { row, email } = await requirePending(parts, tx, call.projectId, call.params.requestId)
    return { request: toRequest(await review(parts, tx, row, 'rejected'), email) }
  })
}

/** Of two who review at once, the second is told. */
async function requirePending(parts: Parts, tx: Tx, projectId: string, requestId: string) {
  const row = await lockRequest(tx.db, projectId, requestId)
  if (!row) throw problem('not_found', { say: 'There is no such request for access to this project.' })
  if (row.status !== 'pending') throw problem('access_request_reviewed', { extras: { status: row.status } })
  return { row, email: (await findEmail(parts.kernel.database.sql, row.requesterUserId)) ?? '' }
}

async function review(
  parts: Parts,
  tx: Tx,
  { requestId, requesterUserId }: RequestRow,
  status: 'approved' | 'rejected',
) {
  const now = parts.kernel.clock.now()
  const reviewedBy = isUuid(tx.actor.userId) ? tx.actor.userId : null
  const row = await reviewRequest(tx.db, requestId, { status, reviewedBy, reviewedAt: now, updatedAt: now })
  await tx.audit({
    action: `project.access.request_${status}`,
    outcome: 'success',
    resourceType: 'access_request',
    resourceId: requestId,
    metadata: { requester_user_id: requesterUserId },
  })
  return row
}
