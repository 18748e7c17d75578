import type { operations } from '@svc/contract'
import { answer, type Call, invalid, problem } from '../kernel/http/index.ts'
import { isUuid } from '../kernel/ids/index.ts'
import { readViewer } from './access.ts'
import type { Parts } from './parts.ts'
import { toRecords } from './session-record.ts'
import { listSessionPage } from './store/list-page.ts'

const pageSize = 1000

export async function listSessions(parts: Parts, call: Call<typeof operations.sessions.list>) {
  const { scope = 'visible', cursor } = call.query
  if (scope === 'project') await requireManager(call)
  const viewer = await readViewer(parts, call.principal, call)
  const { projectId } = call
  const page = { projectId, scope, before: readCursor(cursor), limit: pageSize + 1 }
  const found = await listSessionPage(parts.kernel.database.db, viewer, page)
  const rows = found.slice(0, pageSize)
  const last = found.length > pageSize ? rows.at(-1) : undefined
  const headers: Record<string, string> = last
    ? { 'x-next-cursor': `${last.updatedAt.toISOString()}_${last.sessionId}` }
    : {}
  return answer(await toRecords(parts, viewer, rows), { headers })
}

/** The token of a session never has a manager's standing. */
async function requireManager(call: Call<typeof operations.sessions.list>): Promise<void> {
  await call.require('project.write')
  if (call.principal.sessionId !== undefined) throw problem('forbidden')
}

function readCursor(cursor: string | undefined) {
  if (cursor === undefined) return undefined
  const [instant = '', sessionId = ''] = cursor.split('_')
  if (!Number.isNaN(Date.parse(instant)) && isUuid(sessionId)) return { updatedAt: new Date(instant), sessionId }
  throw invalid([{ path: 'cursor', message: 'must be the value of an earlier X-Next-Cursor header' }])
}
