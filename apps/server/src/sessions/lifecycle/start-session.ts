import type { operations, ResultOf } from '@svc/contract'
import { type Call, problem } from '../../kernel/http/index.ts'
import { newId } from '../../kernel/ids/index.ts'
import { openSession, requireLifecycle } from '../access.ts'
import { describeChange } from '../create/create-session.ts'
import { requireAgent } from '../create/require-agent.ts'
import { sessionChanged } from '../events.ts'
import type { Machine, Parts } from '../parts.ts'
import { runtimePath } from '../session-record.ts'
import { isElsewhere } from '../sessions-here.ts'
import { findSession, moveSession, noteSession, type SessionRow } from '../store/sessions.ts'
import { requestBoot } from './claim-boot.ts'
import { abortTurn, endMachine, stopSession } from './stop-session.ts'
import { waitForChange } from './wait-for-change.ts'

type Ops = typeof operations.sessions
type StartPayload = ResultOf<Ops['start']>

const maxWaitMs = 8_000

/** Wakes a parked session and tells how far it has come, at once or at the next stage. */
export async function startSession(parts: Parts, call: Call<Ops['start']>): Promise<StartPayload> {
  const { row } = await openSession(parts, call)
  const { sessionId } = row
  await requireAgent(parts, call, row)
  if (row.isWarm) await noteSession(parts.kernel.database.db, sessionId, { isWarm: false })
  const isWaking = row.status === 'stopped' && (await requestBoot(parts, sessionId)) !== undefined
  if (isWaking) await recordStart(parts, call, row)
  const waitMs = Math.min(call.query.wait_ms ?? 0, maxWaitMs)
  const settled = (await waitForChange(parts, sessionId, waitMs, call.signal, isFinal)) ?? row
  return describeStart(parts, settled, isWaking ? 'runtime_waking' : undefined)
}

const isFinal = ({ status }: SessionRow) => status !== 'provisioning' && status !== 'queued' && status !== 'branching'

async function recordStart(parts: Parts, { actor }: Call, { sessionId }: SessionRow): Promise<void> {
  await parts.kernel.database.transact(actor, (tx) =>
    tx.audit({ action: 'session.start', sessionId, resourceType: 'session', resourceId: sessionId }),
  )
}

export async function describeStart(parts: Parts, row: SessionRow, reason?: string): Promise<StartPayload> {
  const machine = await parts.sandboxes.findMachine(row.sessionId)
  const stage = stageOf(row, machine)
  const isReady = stage === 'ready' && machine !== undefined
  return {
    stage,
    agent_name: row.agentName,
    retriable: stage === 'provisioning' || stage === 'starting',
    sandbox: machine && machine.status !== 'archived' ? describeMachine(row, machine) : null,
    opencode_session_id: row.conversationId,
    runtime_url: isReady ? runtimePath(machine.externalId) : null,
    runtime_transport: 'rest',
    failure: row.status === 'failed' ? row.failure : null,
    ...reasonOf(row, stage, reason),
  }
}

function stageOf({ status }: SessionRow, machine: Machine | undefined): StartPayload['stage'] {
  if (status === 'running') return machine?.status === 'active' ? 'ready' : 'starting'
  if (status === 'failed') return 'failed'
  if (status === 'stopped' || status === 'completed') return 'stopped'
  return machine && machine.status !== 'archived' ? 'starting' : 'provisioning'
}

function reasonOf({ status }: SessionRow, stage: StartPayload['stage'], reason: string | undefined) {
  if (stage === 'ready') return {}
  if (reason !== undefined) return { reason }
  return status === 'running' ? { reason: 'not_ready' } : {}
}

function describeMachine(row: SessionRow, machine: Machine): NonNullable<StartPayload['sandbox']> {
  return {
    sandbox_id: row.sessionId,
    session_id: row.sessionId,
    project_id: row.projectId,
    account_id: row.accountId,
    provider: machine.provider,
    external_id: machine.externalId,
    base_url: runtimePath(machine.externalId),
    status: machine.status,
    config: { ...machine.config },
    metadata: machine.metadata,
    last_used_at: machine.lastUsedAt?.toISOString() ?? null,
    created_at: machine.createdAt.toISOString(),
    updated_at: machine.updatedAt.toISOString(),
  }
}

/** The same machine with the same disk, booted anew; a new one from the session's branch when there is none. */
export async function restartSession(parts: Parts, call: Call<Ops['restart']>) {
  const opened = await openSession(parts, call)
  requireLifecycle(opened)
  const { sessionId } = opened.row
  const answer = { ok: true as const, session_id: sessionId, status: 'provisioning' as const }
  const { row, isNew } = await beginRestart(parts, call, opened.row)
  if (!isNew) return { ...answer, reason: 'restart_in_progress', operation_id: row.operationId ?? '' }
  void reboot(parts, sessionId)
  return { ...answer, operation_id: row.operationId ?? '' }
}

async function beginRestart(parts: Parts, { actor }: Call, opened: SessionRow) {
  const { sessionId } = opened
  const moved = await parts.kernel.database.transact(actor, async (tx) => {
    const row = await moveSession(tx.db, sessionId, ['running', 'stopped', 'failed'], {
      status: 'provisioning',
      operationId: newId(),
      bootingSince: parts.kernel.clock.now(),
      error: null,
      failure: null,
    })
    if (!row) return undefined
    await tx.audit({ action: 'session.restart', sessionId, resourceType: 'session', resourceId: sessionId })
    await tx.publish(sessionChanged.event(describeChange(row)))
    return row
  })
  if (moved) return { row: moved, isNew: true }
  const row = await findSession(parts.kernel.database.db, sessionId)
  if (!row || row.deletedAt !== null) throw problem('not_found')
  return { row, isNew: false }
}

/** In the background, on the server that has the machine; a boot that meets one still running would find it as it was. */
export async function reboot(parts: Parts, sessionId: string): Promise<void> {
  parts.live.ending.add(sessionId)
  try {
    const row = await findSession(parts.kernel.database.db, sessionId)
    // That server is told by the event.
    if (row && isElsewhere(parts, row)) return
    await abortTurn(parts, sessionId)
    await endMachine(parts, sessionId, row)
  } catch (error) {
    parts.kernel.log.warn('a machine could not be stopped before its restart', { session_id: sessionId, error })
  } finally {
    parts.live.ending.delete(sessionId)
  }
  parts.live.wake(sessionId)
}

export async function stopByCall(parts: Parts, call: Call<Ops['stop']>) {
  const opened = await openSession(parts, call)
  requireLifecycle(opened)
  const { sessionId, status } = opened.row
  if (!['queued', 'branching', 'provisioning', 'running'].includes(status)) {
    throw problem('session_not_running', { extras: { status } })
  }
  await stopSession(parts, call.actor, sessionId, { action: 'session.stop' })
  return { ok: true as const, session_id: sessionId, status: 'stopped' as const }
}
