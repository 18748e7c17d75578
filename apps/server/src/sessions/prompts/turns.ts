import { systemActor } from '../../kernel/actor.ts'
import type { Tx } from '../../kernel/database/index.ts'
import { newId } from '../../kernel/ids/index.ts'
import { idleAfterTurn, idleDuringTurn } from '../lifecycle/idle-times.ts'
import { logInTransaction } from '../log/write-log.ts'
import type { Parts } from '../parts.ts'
import { changeSession, noteSession, type SessionRow } from '../store/sessions.ts'
import { addTurn, type EndReason, findOpenTurn, moveTurn, type TurnRow } from '../store/turns.ts'

/** The runtime has taken a prompt: from here on its turn runs, whatever happens to this process. */
export async function acceptTurn(parts: Parts, tx: Tx, session: SessionRow, turnToken: string): Promise<void> {
  const now = parts.kernel.clock.now()
  const turn = await moveTurn(tx.db, turnToken, { state: 'active', acceptedAt: now })
  if (!turn) return
  await noteSession(tx.db, session.sessionId, { idleAt: idleDuringTurn(now), lastTurnAt: now, lastActivityAt: now })
  await logInTransaction(tx, session.sessionId, [describeTurn('turn.started', turn)])
}

/** Work that did not come by the queue: the runtime says that it is busy, and no turn of ours is open. */
export async function noteForeignTurn(parts: Parts, session: SessionRow, messageId: string | undefined): Promise<void> {
  const now = parts.kernel.clock.now()
  const { sessionId, conversationId } = session
  await parts.kernel.database.transact(systemActor, async (tx) => {
    const turn = await addTurn(tx.db, {
      turnToken: newId(),
      sessionId,
      messageId: messageId ?? null,
      conversationId,
      state: 'active',
      startedAt: now,
      acceptedAt: now,
    })
    if (!turn) return
    await noteSession(tx.db, sessionId, { idleAt: idleDuringTurn(now), lastTurnAt: now, lastActivityAt: now })
    await logInTransaction(tx, sessionId, [describeTurn('turn.started', turn)])
  })
}

/** Ends the open turn, if there is one, and tells the log. Of two who end it, one does. */
export async function endOpenTurn(
  parts: Parts,
  session: Pick<SessionRow, 'sessionId' | 'spawnedBy'>,
  reason: EndReason,
  only?: (turn: TurnRow) => boolean,
): Promise<TurnRow | undefined> {
  const { sessionId } = session
  return parts.kernel.database.transact(systemActor, async (tx) => {
    const open = await findOpenTurn(tx.db, sessionId)
    if (!open || (only && !only(open))) return undefined
    const now = parts.kernel.clock.now()
    const ended = await moveTurn(tx.db, open.turnToken, { state: 'ended', endReason: reason, endedAt: now })
    if (!ended) return undefined
    const idleAt = idleAfterTurn(now, session.spawnedBy !== null)
    await changeSession(tx.db, sessionId, { idleAt, lastActivityAt: now })
    if (open.state === 'active' || reason !== 'undelivered') {
      await logInTransaction(tx, sessionId, [describeTurn('turn.ended', ended)])
    }
    return ended
  })
}

/** The platform's own events in the log: which prompt a turn answers, and how it ended. */
function describeTurn(type: 'turn.started' | 'turn.ended', turn: TurnRow) {
  const { turnToken, promptId, messageId, conversationId, endReason } = turn
  return {
    type,
    properties: {
      turn_token: turnToken,
      prompt_id: promptId,
      message_id: messageId,
      sessionID: conversationId,
      ...(type === 'turn.ended' ? { end_reason: endReason } : {}),
    },
  }
}
