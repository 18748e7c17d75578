import type { Tx } from '../kernel/database/index.ts'
import { changeRequestChanged } from './events.ts'
import type { ChangeRequestRow } from './store.ts'

type Change = 'opened' | 'edited' | 'merged' | 'closed' | 'reopened' | 'changes_requested'

const actions: Readonly<Record<Change, string>> = {
  opened: 'change_request.open',
  edited: 'change_request.edit',
  merged: 'change_request.merge',
  closed: 'change_request.close',
  reopened: 'change_request.reopen',
  changes_requested: 'change_request.request_changes',
}

/** The audit event and the announcement of a change, in its transaction. */
export async function announce(
  tx: Tx,
  row: ChangeRequestRow,
  change: Change,
  metadata: Record<string, unknown> = {},
): Promise<void> {
  await tx.audit({
    action: actions[change],
    outcome: 'success',
    accountId: row.accountId,
    projectId: row.projectId,
    resourceType: 'change_request',
    resourceId: row.crId,
    metadata: { number: row.number, base_ref: row.baseRef, head_ref: row.headRef, ...metadata },
  })
  await tx.publish(
    changeRequestChanged.event({
      project_id: row.projectId,
      account_id: row.accountId,
      cr_id: row.crId,
      number: row.number,
      change,
      origin_session_id: row.originSessionId,
    }),
  )
}
