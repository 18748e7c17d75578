import type { Tx } from '../../kernel/database/index.ts'
import type { RuntimeEvent } from '../../runtimes/runtime.ts'
import { sessionLogged } from '../events.ts'
import type { Parts } from '../parts.ts'
import { appendEvents } from '../store/log.ts'

/** One batch, one announcement. A reader that misses it looks by itself a moment later. */
export async function logEvents(
  { kernel }: Pick<Parts, 'kernel'>,
  sessionId: string,
  events: readonly RuntimeEvent[],
): Promise<number> {
  if (events.length === 0) return 0
  const seq = await appendEvents(kernel.database.db, sessionId, events)
  await kernel.events.publish(sessionLogged, { session_id: sessionId, seq })
  return seq
}

/** The same in the transaction of the change that it tells of. */
export async function logInTransaction(tx: Tx, sessionId: string, events: readonly RuntimeEvent[]): Promise<void> {
  const seq = await appendEvents(tx.db, sessionId, events)
  await tx.publish(sessionLogged.event({ session_id: sessionId, seq }))
}
