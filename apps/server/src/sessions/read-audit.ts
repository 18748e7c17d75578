import type { operations, ResultOf } from '@svc/contract'
import { type Call, invalid } from '../kernel/http/index.ts'
import { openSession } from './access.ts'
import type { Parts } from './parts.ts'
import { findOwners } from './store/people.ts'
import type { SessionRow } from './store/sessions.ts'

type SessionAction = ResultOf<typeof operations.sessions.audit>['actions'][number]

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
    actions: hasAccess ? await listActions(parts, row) : [],
  }
}

const maxActions = 200
/** Calls of the model gateway are requests too: this many pages of 200 events are looked through. */
const maxPages = 10
const statuses = { success: 'ok', failure: 'error', denied: 'denied', pending: 'pending_approval' } as const
type Outcome = keyof typeof statuses

/** What the agent itself did through its token, newest first; what it looked at is left out. */
async function listActions(parts: Parts, { accountId, sessionId }: SessionRow): Promise<SessionAction[]> {
  const done = await collectActions(parts, accountId, sessionId)
  const people = await findOwners(
    parts.kernel.database.sql,
    done.flatMap(({ actor_user_id }) => actor_user_id ?? []),
  )
  return done.map((event) => ({
    execution_id: event.execution_id ?? event.event_id,
    action: event.action ?? '',
    connector_id: null,
    connector: null,
    status: statuses[(event.outcome ?? 'success') as Outcome] ?? 'ok',
    risk: null,
    acted_by: event.actor_user_id,
    acted_by_email: people.get(event.actor_user_id ?? '')?.email ?? null,
    resolved_by: null,
    resolved_by_email: null,
    result_summary: event.resource_type === null ? null : `${event.resource_type} ${event.resource_id ?? ''}`.trim(),
    at: event.occurred_at,
    resolved_at: null,
    approval_url: null,
  }))
}

async function collectActions({ audit }: Parts, accountId: string, sessionId: string) {
  const query = { session_id: sessionId, actor_type: 'agent', limit: 200 } as const
  let page = await audit.readLog(accountId, query)
  const found = page.events.filter(isAction)
  for (let pages = 1; page.next_cursor !== null && pages < maxPages && found.length < maxActions; pages += 1) {
    page = await audit.readLog(accountId, { ...query, cursor: page.next_cursor })
    found.push(...page.events.filter(isAction))
  }
  return found.slice(0, maxActions)
}

/** A request is named by its method and path. What it changed has an event of its own; what was refused has no other. */
function isAction({ action, outcome }: { readonly action: string | null; readonly outcome: string | null }): boolean {
  return !/^[A-Z]+ \//.test(action ?? '') || outcome === 'denied'
}

function readCursor(cursor: string | undefined): number {
  if (cursor === undefined) return 0
  if (/^\d{1,15}$/.test(cursor)) return Number(cursor)
  throw invalid([{ path: 'cursor', message: 'must be a cursor that an earlier page gave' }])
}
