import { systemActor } from '../../kernel/actor.ts'
import type { Parts } from '../parts.ts'
import { lockHead, noteStored, readLogPage } from '../store/log.ts'
import { findParts, writeChanges } from '../store/messages.ts'
import { applyEvents, listTouchedParts } from './apply-events.ts'

const eventsPerStep = 2000

/**
 * Brings messages and parts up to the end of the log, and says where that is. Safe to call at any time, by anybody, and
 * after a crash: what the log says is applied once, in its order.
 */
export async function storeMessages({ kernel }: Pick<Parts, 'kernel'>, sessionId: string): Promise<number> {
  for (;;) {
    const { storedSeq, isDone } = await kernel.database.transact(systemActor, async ({ db }) => {
      const head = await lockHead(db, sessionId)
      if (!head || head.storedSeq >= head.lastSeq) return { storedSeq: head?.storedSeq ?? 0, isDone: true }
      const events = await readLogPage(db, sessionId, head.storedSeq, eventsPerStep)
      const last = events.at(-1)
      if (!last) return { storedSeq: head.storedSeq, isDone: true }
      const known = await findParts(db, sessionId, listTouchedParts(events))
      await writeChanges(db, sessionId, applyEvents(events, known))
      await noteStored(db, sessionId, last.seq)
      return { storedSeq: last.seq, isDone: last.seq >= head.lastSeq }
    })
    if (isDone) return storedSeq
  }
}
