import type { Admission, Admitted, Running } from '../lifecycle/running.ts'
import type { Parts } from '../parts.ts'
import { findOpenTurn, hasTurnSince } from '../store/turns.ts'

/** A runtime that took a prompt may need this long until it says that it is busy with it. */
export const firstAnswerMs = 5_000

export function openAdmission({ kernel }: Pick<Parts, 'kernel'>, { admitted }: Pick<Running, 'admitted'>): Admission {
  const one: Admitted = { at: kernel.clock.now(), endedAtMs: undefined }
  admitted.add(one)
  return {
    end(isTaken) {
      if (isTaken) one.endedAtMs = kernel.clock.nowMs()
      else admitted.delete(one)
    },
  }
}

/**
 * Whether anything works for the agent that the session's one token is for: a turn, or a prompt whose turn is still to
 * come. Then no other agent gets the token. `ownTurn` is the one that asks.
 */
export async function isAtWork(
  parts: Pick<Parts, 'kernel'>,
  { row, admitted }: Pick<Running, 'row' | 'admitted'>,
  ownTurn?: string,
): Promise<boolean> {
  const { db } = parts.kernel.database
  const open = await findOpenTurn(db, row.sessionId)
  if (open !== undefined && open.turnToken !== ownTurn) return true
  for (const one of admitted) {
    // Its turn has ended; whoever sent it may still be reading the answer.
    const isOver = await hasTurnSince(db, row.sessionId, one.at, ownTurn)
    const isLate = one.endedAtMs !== undefined && parts.kernel.clock.nowMs() - one.endedAtMs >= firstAnswerMs
    if (!isOver && !isLate) return true
    admitted.delete(one)
  }
  return false
}
