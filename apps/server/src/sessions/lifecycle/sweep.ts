import { systemActor } from '../../kernel/actor.ts'
import type { Parts } from '../parts.ts'
import { endOpenTurn } from '../prompts/turns.ts'
import { listAbandoned } from '../store/nodes.ts'
import { listForgotten, listStray, listUndestroyed } from '../store/people.ts'
import { findAsked } from '../store/questions.ts'
import { findSession, listByStatus, listIdle, noteSession } from '../store/sessions.ts'
import { findOpenTurn } from '../store/turns.ts'
import { heedChange } from './heed-others.ts'
import { idleAfterUse, idleDuringTurn } from './idle-times.ts'
import { endMachine, startQueued, stopSession } from './stop-session.ts'

/** Parks machines that nobody uses any more, and starts what waits for one. */
export async function sweep(parts: Parts): Promise<void> {
  const { kernel } = parts
  const now = kernel.clock.now()
  for (const row of await listIdle(kernel.database.db, parts.nodeId, now)) {
    const { sessionId } = row
    // A turn keeps its machine: what it last granted has run out, so it is granted anew while it still works.
    const turn = await findOpenTurn(kernel.database.db, sessionId)
    // One that waits for a person is parked with its question, which can be answered at any time.
    const isAsking = (await findAsked(kernel.database.db, sessionId)) !== undefined
    const isWorking = turn !== undefined && !isAsking && (await isBusy(parts, sessionId))
    if (isWorking) await noteSession(kernel.database.db, sessionId, { idleAt: idleDuringTurn(now) })
    else await stopSession(parts, systemActor, sessionId, { action: 'session.idle_stop' })
  }
  await endStray(parts)
  await parkAbandoned(parts)
  await startQueued(parts)
  for (const { sessionId, nodeId } of await listByStatus(kernel.database.db, parts.nodeId, ['provisioning'])) {
    if (nodeId === null) parts.live.wake(sessionId)
    else await heedChange(parts, sessionId)
  }
}

/** What an event should have told, for whoever missed it. */
async function endStray(parts: Parts): Promise<void> {
  const { sql } = parts.kernel.database
  for (const { id, isLost, detail } of await listStray(sql, parts.nodeId)) {
    const why = isLost ? (detail ?? 'The machine of this session ended by itself.') : 'The project was archived.'
    const action = isLost ? 'session.machine_lost' : 'session.stop'
    await stopSession(parts, systemActor, id, { action, detail: why })
  }
  for (const sessionId of await listForgotten(sql, parts.nodeId)) await endForgotten(parts, sessionId)
  for (const sessionId of await listUndestroyed(sql, parts.nodeId)) await parts.sandboxes.destroyMachine(sessionId)
}

/** Another server parked it while this one did not hear of it, or its end was cut short. */
async function endForgotten(parts: Parts, sessionId: string): Promise<void> {
  const row = await findSession(parts.kernel.database.db, sessionId)
  if (parts.live.ending.has(sessionId) || (row?.status !== 'stopped' && row?.status !== 'failed')) return
  await endMachine(parts, sessionId, row)
}

const away = 'The server that runs this session is away. Its files are there, and it goes on when the server is back.'

/** Of a server that is away nobody knows whether its machines run. What is known is that nobody reaches them. */
async function parkAbandoned(parts: Parts): Promise<void> {
  if (!parts.signOfLife.isSteady()) return
  for (const sessionId of await listAbandoned(parts.kernel.database.sql, parts.nodeId)) {
    const row = await stopSession(parts, systemActor, sessionId, { action: 'session.machine_lost', detail: away })
    if (row) await endOpenTurn(parts, row, 'interrupted', ({ state }) => state === 'active')
  }
}

async function isBusy(parts: Parts, sessionId: string): Promise<boolean> {
  const running = parts.live.find(sessionId)
  if (!running) return false
  const { runtime, send, conversationId } = running
  return runtime.isBusy(send, conversationId).catch(() => false)
}

const noteEveryMs = 30_000

/** Use keeps a machine up. What comes from inside the machine itself never does. */
export function createActivity(parts: Parts) {
  const notedAtMs = new Map<string, number>()
  return (sessionId: string, kind: 'turn' | 'preview' | 'request', fromInside: boolean): void => {
    if (fromInside || kind === 'request') return
    const nowMs = parts.kernel.clock.nowMs()
    if (nowMs - (notedAtMs.get(sessionId) ?? 0) < noteEveryMs) return
    if (notedAtMs.size > 10_000) notedAtMs.clear()
    notedAtMs.set(sessionId, nowMs)
    extend(parts, sessionId, kind).catch((error: unknown) =>
      parts.kernel.log.warn('the use of a session could not be noted', { session_id: sessionId, error }),
    )
  }
}

async function extend(parts: Parts, sessionId: string, kind: 'turn' | 'preview'): Promise<void> {
  const { db } = parts.kernel.database
  const now = parts.kernel.clock.now()
  const row = await findSession(db, sessionId)
  if (row?.status !== 'running') return
  parts.sandboxes.touch(sessionId)
  const idleAt = kind === 'turn' ? idleDuringTurn(now) : idleAfterUse(now, row.lastTurnAt, row.readyAt)
  if (row.idleAt !== null && row.idleAt >= idleAt) return
  await noteSession(db, sessionId, { idleAt, lastActivityAt: now })
}
