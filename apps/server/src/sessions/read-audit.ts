import type { operations } from '@svc/contract'
import { type Call, invalid } from '../kernel/http/index.ts'
import { openSession } from './access.ts'
import type { Parts } from './parts.ts'

const defaultLimit = 200

/** What happened in a session, oldest first. Accounts whose plan has no audit log see nothing of it. */
export async function readAudit(parts: Parts, call: Call<typeof operations.sessions.audit>) {
  const { row } = await openSession(parts, call)
  const { sessionId, accountId, agentName } = row
  const { limit = defaultLimit, cursor, include_events: includesEvents = true } = call.query
  const hasAccess = await parts.access.isEntitled(accountId, 'auditAccess')
  const page = { after: readCursor(cursor), limit }
  const { events, next } =
    hasAccess && includesEvents
      ? await parts.audit.readForward(accountId, { session_id: sessionId }, page)
      : { events: [], next: undefined }
  return {
    session_id: sessionId,
    agent: agentName,
    audit_access: hasAccess,
    count: events.length,
    events,
    next_cursor: next === undefined ? null : String(next),
    // Calls of connectors are the actions of a session; there are none yet.
    actions: [],
  }
}

function readCursor(cursor: string | undefined): number {
  if (cursor === undefined) return 0
  if (/^\d{1,15}$/.test(cursor)) return Number(cursor)
  throw invalid([{ path: 'cursor', message: 'must be a cursor that an earlier page gave' }])
}
