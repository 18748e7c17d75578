import type { Database, Tx } from '../../kernel/database/index.ts'
import type { Events } from '../../kernel/events/index.ts'
import type { RuntimeEvent } from '../../runtimes/index.ts'
import { sessionLogged } from '../events.ts'
import { appendEvents } from '../store/log.ts'

export interface LogKernel {
  readonly database: Pick<Database, 'db'>
  readonly events: Pick<Events, 'publish'>
}

/** One batch, one announcement. A reader that misses it looks by itself a moment later. */
export async function logEvents(
  { kernel }: { readonly kernel: LogKernel },
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
