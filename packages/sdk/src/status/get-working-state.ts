import type { StatusLike } from '../wire/message-types.ts'
import { firstText, toRecord } from '../wire/read-value.ts'

/**
 * True while the last turn of a session is being worked on. A missing status means idle.
 *
 * @example
 * getWorkingState({ type: 'busy' }, true) // true
 * getWorkingState({ type: 'busy' }, false) // false
 */
export function getWorkingState<S extends StatusLike>(status: S | null | undefined, isLast: boolean): boolean {
  const type = firstText(toRecord(status).type)
  return isLast === true && type !== undefined && type !== 'idle'
}
