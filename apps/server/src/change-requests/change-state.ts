import type { operations } from '@svc/contract'
import type { Tx } from '../kernel/database/index.ts'
import { type Call, problem } from '../kernel/http/index.ts'
import { announce } from './announce.ts'
import type { Parts } from './parts.ts'
import { appendToMetadata, type ChangeRequestRow, changeRequest, lockRequest } from './store.ts'

type CommentCall = Call<typeof operations.changeRequests.close> | Call<typeof operations.changeRequests.reopen>

export async function closeRequest(parts: Parts, call: CommentCall): Promise<ChangeRequestRow> {
  return inState(parts, call, 'open', async (tx, { crId }) => {
    await comment(parts, tx, call, crId)
    const change = { status: 'closed' as const, closedAt: parts.kernel.clock.now(), closedBy: call.principal.id }
    const row = await changeRequest(tx.db, crId, change)
    await announce(tx, row, 'closed')
    return row
  })
}

export async function reopenRequest(parts: Parts, call: CommentCall): Promise<ChangeRequestRow> {
  return inState(parts, call, 'closed', async (tx, { crId }) => {
    await comment(parts, tx, call, crId)
    const row = await changeRequest(tx.db, crId, { status: 'open', closedAt: null, closedBy: null })
    await announce(tx, row, 'reopened')
    return row
  })
}

export async function editRequest(
  parts: Parts,
  call: Call<typeof operations.changeRequests.edit>,
): Promise<ChangeRequestRow> {
  const { title, description } = call.body
  return inState(parts, call, 'open', async (tx, { crId }) => {
    const row = await changeRequest(tx.db, crId, {
      ...(title === undefined ? {} : { title }),
      ...(description === undefined ? {} : { description }),
    })
    await announce(tx, row, 'edited')
    return row
  })
}

export async function requestChanges(parts: Parts, call: Call<typeof operations.changeRequests.requestChanges>) {
  const { feedback, deliver = true } = call.body
  const row = await inState(parts, call, 'open', async (tx, { crId }) => {
    const entry = { text: feedback, by: call.principal.id, at: parts.kernel.clock.now().toISOString() }
    const changed = await appendToMetadata(tx.db, crId, 'requested_changes', entry)
    await announce(tx, changed, 'changes_requested', { deliver })
    return changed
  })
  const { originSessionId, projectId, crId } = row
  if (!deliver || originSessionId === null || !parts.deliverFeedback) return { row, delivering: false }
  const delivering = await parts.deliverFeedback({ projectId, crId, sessionId: originSessionId, text: feedback })
  return { row, delivering }
}

/** One change of a request that must be in a certain state; of two at once, the second meets the new state. */
async function inState(
  parts: Parts,
  { projectId, params, actor }: { projectId: string; params: { crId: string }; actor: CommentCall['actor'] },
  state: 'open' | 'closed',
  work: (tx: Tx, row: ChangeRequestRow) => Promise<ChangeRequestRow>,
): Promise<ChangeRequestRow> {
  return parts.kernel.database.transact(actor, async (tx) => {
    const row = await lockRequest(tx.db, projectId, params.crId)
    if (!row) throw problem('not_found')
    // A merge is under way: whatever else is asked for comes too late.
    const isOpen = row.status === 'open' && row.mergeIntent === null
    if (state === 'open' && !isOpen) throw problem('change_request_not_open')
    if (state === 'closed' && row.status !== 'closed') throw problem('change_request_not_closed')
    return work(tx, row)
  })
}

async function comment(parts: Parts, tx: Tx, call: CommentCall, crId: string): Promise<void> {
  const text = call.body.comment
  if (!text) return
  const entry = { text, by: call.principal.id, at: parts.kernel.clock.now().toISOString() }
  await appendToMetadata(tx.db, crId, 'comments', entry)
}
