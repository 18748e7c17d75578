import { systemActor } from '../../kernel/actor.ts'
import type { Tx } from '../../kernel/database/index.ts'
import { newId } from '../../kernel/ids/index.ts'
import { describeChange } from '../create/create-session.ts'
import { hasCapacity, hasMachineFor } from '../create/limits.ts'
import { sessionChanged } from '../events.ts'
import type { Parts } from '../parts.ts'
import { isElsewhere } from '../sessions-here.ts'
import { isNodeUp } from '../store/nodes.ts'
import {
  findSession,
  lockMachines,
  lockSession,
  moveSession,
  type SessionRow,
  type SessionStatus,
} from '../store/sessions.ts'

/**
 * The row of a boot to begin now; undefined when there is none, or no machine for it yet. Every machine is taken here, by
 * the server that starts it and under its lock, so none has more than it may. What was asked of another server, or begun
 * anew, waits like the rest when there is none left.
 */
export async function claimBoot(parts: Parts, sessionId: string): Promise<SessionRow | undefined> {
  const { nodeId } = parts
  return parts.kernel.database.transact(systemActor, async (tx) => {
    await lockMachines(tx, nodeId)
    const row = await lockSession(tx.db, sessionId)
    if (!row || row.deletedAt !== null) return undefined
    if (isElsewhere(parts, row)) return refuseAbandoned(parts, tx, row)
    if (row.status !== 'provisioning' && row.status !== 'queued') return undefined
    const isReady = await hasMachineFor(parts, tx.db, sessionId)
    const change = isReady ? ({ status: 'provisioning', nodeId } as const) : ({ status: 'queued' } as const)
    const moved = await moveSession(tx.db, sessionId, [row.status], change)
    if (moved && moved.status !== row.status) await tx.publish(sessionChanged.event(describeChange(moved)))
    return isReady ? moved : undefined
  })
}

/** Its disk is on another server, which boots it. While that one is away nobody can, and whoever waits is told. */
async function refuseAbandoned({ kernel }: Parts, tx: Tx, row: SessionRow): Promise<undefined> {
  if (row.status !== 'provisioning' || (await isNodeUp(kernel.database.sql, row.nodeId ?? ''))) return
  const message = 'The server that has the files of this session is away. Start that server, then try again.'
  const failure = { category: 'sandbox-provider', message, retryable: true } as const
  const change = { status: 'failed', error: message, failure, bootingSince: null } as const
  const moved = await moveSession(tx.db, row.sessionId, ['provisioning'], change)
  if (moved) await tx.publish(sessionChanged.event(describeChange(moved)))
}

/**
 * Asks for a boot: from one of the given states to `provisioning`, or `queued` without a machine to spare. Undefined when
 * the session was in none of them. Whoever asks while one is on its way shares it.
 */
export async function requestBoot(
  parts: Parts,
  sessionId: string,
  from: readonly SessionStatus[] = ['stopped'],
): Promise<SessionRow | undefined> {
  const { kernel } = parts
  return kernel.database.transact(systemActor, async (tx) => {
    await lockMachines(tx, parts.nodeId)
    const row = await findSession(tx.db, sessionId)
    // The server that has its files knows whether it has a machine for it.
    const isReady = (row && isElsewhere(parts, row)) || (await hasCapacity(parts, tx.db))
    const moved = await moveSession(tx.db, sessionId, from, {
      status: isReady ? 'provisioning' : 'queued',
      operationId: newId(),
      bootingSince: kernel.clock.now(),
      error: null,
      failure: null,
      isWarm: false,
    })
    if (!moved) return undefined
    await tx.publish(sessionChanged.event(describeChange(moved)))
    tx.afterCommit(() => parts.live.wake(sessionId))
    return moved
  })
}
