import { problem } from '../kernel/http/index.ts'
import type { Parts } from './parts.ts'
import type { SessionRow } from './store/sessions.ts'

/** Whether another server has the machine of a session, and with it everything that happens in it. */
export function isElsewhere({ nodeId }: Pick<Parts, 'nodeId'>, row: Pick<SessionRow, 'nodeId'>): boolean {
  return row.nodeId !== null && row.nodeId !== nodeId
}

/** For what is done in the machine itself: only its own server reaches into it. */
export function requireHere(parts: Pick<Parts, 'nodeId'>, row: Pick<SessionRow, 'nodeId'>): void {
  if (!isElsewhere(parts, row)) return
  throw problem('sandbox_unreachable', {
    say: 'The machine of this session is on another server of this instance.',
    next: 'Send the request to that server; a load balancer in front of several servers must.',
  })
}
