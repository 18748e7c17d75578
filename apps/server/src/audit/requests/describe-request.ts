import type { AuditEventInput } from '../../kernel/audit/index.ts'
import type { Finished } from '../../kernel/http/index.ts'
import { isUuid } from '../../kernel/ids/index.ts'

/** What the row of one request holds. Of its address only the template and ids: anything else may be a capability. */
export function describeRequest(
  { request, principal, status, durationMs, problem }: Finished,
  at: Date,
): AuditEventInput {
  const { method, path } = request.operation
  const { projectId, sessionId } = readPathIds(path, request.incoming.url ?? '')
  const actor = principal?.actor
  return {
    action: `${method} ${path}`,
    occurredAt: at,
    outcome: outcomeOf(status),
    httpStatus: status,
    durationMs: Math.min(Math.round(durationMs), 2 ** 31 - 1),
    metadata: { method, path },
    ...(problem ? { errorCode: problem.code } : {}),
    ...(projectId && actor?.projectId === undefined ? { projectId } : {}),
    ...(sessionId && actor?.sessionId === undefined ? { sessionId } : {}),
  }
}

export function outcomeOf(status: number): 'pending' | 'denied' | 'success' | 'failure' {
  if (status === 202) return 'pending'
  if (status === 401 || status === 403) return 'denied'
  return status >= 200 && status < 400 ? 'success' : 'failure'
}

/** The ids in an address, by the names its template gives them. Values that are no UUID are left out. */
export function readPathIds(template: string, url: string): Readonly<Record<string, string>> {
  const given = (url.split('?', 1)[0] ?? '').split('/')
  const ids: Record<string, string> = {}
  for (const [index, segment] of template.split('/').entries()) {
    const name = /^:(\w+)(\{.*)?$/.exec(segment)?.[1]
    const value = given[index]
    if (name !== undefined && isUuid(value)) ids[name] = value.toLowerCase()
    // What follows a pattern may stand anywhere.
    if (segment.includes('{')) break
  }
  return ids
}
