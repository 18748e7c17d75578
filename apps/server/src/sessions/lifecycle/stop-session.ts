import type { Actor } from '../../kernel/actor.ts'
import { describeChange } from '../create/create-session.ts'
import { sessionChanged } from '../events.ts'
import { storeMessages } from '../log/store-messages.ts'
import type { Parts } from '../parts.ts'
import { endOpenTurn } from '../prompts/turns.ts'
import { isElsewhere } from '../sessions-here.ts'
import { findAsked } from '../store/questions.ts'
import { findSession, listByStatus, moveSession, type SessionRow } from '../store/sessions.ts'

const abortTimeoutMs = 3_000

export interface StopReason {
  /** For the audit log; undefined where the caller writes its own event. */
  readonly action: 'session.stop' | 'session.idle_stop' | 'session.machine_lost' | undefined
  readonly detail?: string | undefined
}

/**
 * Parks a session: the turn that runs is aborted, what the runtime said is kept, the machine ends and its disk stays.
 * A boot that is under way gives up.
 */
export async function stopSession(
  parts: Parts,
  actor: Actor,
  sessionId: string,
  reason: StopReason,
): Promise<SessionRow | undefined> {
  parts.live.ending.add(sessionId)
  try {
    return await stop(parts, actor, sessionId, reason)
  } finally {
    parts.live.ending.delete(sessionId)
  }
}

async function stop(
  parts: Parts,
  actor: Actor,
  sessionId: string,
  reason: StopReason,
): Promise<SessionRow | undefined> {
  await abortTurn(parts, sessionId)
  const moved = await parts.kernel.database.transact(actor, async (tx) => {
    const from = ['queued', 'branching', 'provisioning', 'running'] as const
    const row = await moveSession(tx.db, sessionId, from, {
      status: 'stopped',
      operationId: null,
      bootingSince: null,
      idleAt: null,
      error: reason.detail ?? null,
    })
    if (!row) return undefined
    if (reason.action !== undefined)
      await tx.audit({
        action: reason.action,
        accountId: row.accountId,
        projectId: row.projectId,
        sessionId,
        resourceType: 'session',
        resourceId: sessionId,
        ...(reason.detail ? { metadata: { detail: reason.detail } } : {}),
      })
    await tx.publish(sessionChanged.event(describeChange(row)))
    return row
  })
  const row = moved ?? (await findSession(parts.kernel.database.db, sessionId))
  // The server that has its machine is told by the event, and ends it.
  if (row && isElsewhere(parts, row)) return moved
  await endMachine(parts, sessionId, row)
  await startQueued(parts)
  return moved
}

/** What is left to do on the server that has the machine, once a session is parked. */
export async function endMachine(parts: Parts, sessionId: string, row: SessionRow | undefined): Promise<void> {
  await parts.live.settled(sessionId)
  await parts.live.detach(sessionId)
  if (row) await endOpenTurn(parts, row, 'interrupted', ({ state }) => state === 'active')
  await parts.sandboxes.stopMachine(sessionId)
  await storeMessages(parts, sessionId)
}

/**
 * Best effort: a runtime that does not answer loses its turn with its machine. One that waits for a person is not
 * aborted, so that its question can still be answered.
 */
export async function abortTurn(parts: Parts, sessionId: string): Promise<void> {
  const running = parts.live.find(sessionId)
  if (!running) return
  const { runtime, send, conversationId } = running
  const { clock, log } = parts.kernel
  const aborting = (async () => {
    if (await findAsked(parts.kernel.database.db, sessionId)) return
    if (!(await runtime.isBusy(send, conversationId))) return
    await runtime.abort(send, conversationId)
    await endOpenTurn(parts, running.row, 'aborted', ({ state }) => state === 'active')
  })().catch((error: unknown) => log.debug('a turn could not be aborted before its machine stops', { error }))
  await Promise.race([aborting, clock.sleep(abortTimeoutMs)])
}

/** A machine became free: the oldest session that waits for one may have it. */
export async function startQueued(parts: Parts): Promise<void> {
  for (const { sessionId } of await listByStatus(parts.kernel.database.db, parts.nodeId, ['queued'], 10))
    parts.live.wake(sessionId)
}
