import { operations } from '@svc/contract'
import { answer, type Handled, handle, invalid } from '../kernel/http/index.ts'
import { answerGit } from '../repositories/index.ts'
import { closeRequest, editRequest, reopenRequest, requestChanges } from './change-state.ts'
import { mergeRequest } from './merge-request.ts'
import { openRequest } from './open-request.ts'
import type { Parts } from './parts.ts'
import { readDiff, readPreview, readRequest } from './read-request.ts'
import { toRecord } from './request-record.ts'
import { listRequests } from './store.ts'

const pageSize = 1000

export function changeRequestRoutes(parts: Parts): Handled[] {
  const ops = operations.changeRequests
  return [
    handle(ops.list, async ({ projectId, query }) => {
      const { status = 'all', cursor } = query
      const filter = { status: status === 'all' ? undefined : status, below: readCursor(cursor), limit: pageSize + 1 }
      const found = await listRequests(parts.kernel.database.db, projectId, filter)
      const page = found.slice(0, pageSize)
      const last = found.length > pageSize ? page.at(-1) : undefined
      const headers: Record<string, string> = last ? { 'x-next-cursor': String(last.number) } : {}
      return answer({ change_requests: page.map(toRecord) }, { headers })
    }),
    handle(ops.get, async (call) => ({ change_request: toRecord(await readRequest(parts, call)) })),
    handle(ops.diff, (call) => answerGit(() => readDiff(parts, call))),
    handle(ops.mergePreview, (call) => answerGit(() => readPreview(parts, call))),
    handle(ops.open, (call) => answerGit(() => openRequest(parts, call))),
    handle(ops.edit, async (call) => toRecord(await editRequest(parts, call))),
    handle(ops.merge, (call) => answerGit(() => mergeRequest(parts, call))),
    handle(ops.close, async (call) => toRecord(await closeRequest(parts, call))),
    handle(ops.reopen, async (call) => toRecord(await reopenRequest(parts, call))),
    handle(ops.requestChanges, async (call) => {
      const { row, delivering } = await requestChanges(parts, call)
      return { change_request: toRecord(row), delivering }
    }),
  ]
}

function readCursor(cursor: string | undefined): number | undefined {
  if (cursor === undefined) return undefined
  if (/^\d{1,9}$/.test(cursor)) return Number(cursor)
  throw invalid([{ path: 'cursor', message: 'must be the value of an earlier X-Next-Cursor header' }])
}
