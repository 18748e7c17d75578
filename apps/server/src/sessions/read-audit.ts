import type { operations } from '@svc/contract'
import type { Call } from '../kernel/http/index.ts'
import { openSession } from './access.ts'
import type { Parts } from './parts.ts'

const defaultLimit = 200
const eventsPerRead = 200

/** What happened in a session. Accounts whose plan has no audit log see that it is there, and nothing of it. */
export async function readAudit(parts: Parts, call: Call<typeof operations.sessions.audit>) {
  const { row } = await openSession(parts, call)
  const { sessionId, accountId, agentName } = row
  const { limit = defaultLimit, cursor, include_events: includesEvents = true } = call.query
  const hasAccess = await parts.access.isEntitled(accountId, 'auditAccess')
  const page =
    hasAccess && includesEvents
      ? await readEvents(parts, { accountId, sessionId, limit, cursor })
      : { events: [], next_cursor: null }
  return {
    session_id: sessionId,
    agent: agentName,
    audit_access: hasAccess,
    count: page.events.length,
    events: page.events,
    next_cursor: page.next_cursor,
    // Calls of connectors are the actions of a session; there are none yet.
    actions: [],
  }
}

interface Reading {
  readonly accountId: string
  readonly sessionId: string
  readonly limit: number
  readonly cursor: string | undefined
}

type Page = Awaited<ReturnType<Parts['audit']['readLog']>>

/** A page reaches back from the newest, or from the cursor; within it the oldest comes first. */
async function readEvents(parts: Parts, { accountId, sessionId, limit, cursor }: Reading): Promise<Page> {
  const events: Page['events'] = []
  let next: string | null | undefined = cursor
  do {
    const left = Math.min(eventsPerRead, limit - events.length)
    const page: Page = await parts.audit.readLog(accountId, {
      session_id: sessionId,
      limit: left,
      ...(next ? { cursor: next } : {}),
    })
    events.push(...page.events)
    next = page.next_cursor
  } while (next !== null && events.length < limit)
  return { events: events.reverse(), next_cursor: next ?? null }
}
