import type { Parts } from './parts.ts'
import type { SessionRow } from './store/sessions.ts'

/** Whether another server has the machine of a session, and with it everything that happens in it. */
export function isElsewhere({ nodeId }: Pick<Parts, 'nodeId'>, row: Pick<SessionRow, 'nodeId'>): boolean {
  return row.nodeId !== null && row.nodeId !== nodeId
}
