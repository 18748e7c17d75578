import type { operations } from '@svc/contract'
import { type Call, Problem, problem } from '../../kernel/http/index.ts'
import { newId } from '../../kernel/ids/index.ts'
import { openSession } from '../access.ts'
import { requireModel } from '../create/choose-model.ts'
import { describeChange } from '../create/create-session.ts'
import { readPlan } from '../create/read-plan.ts'
import { sessionChanged } from '../events.ts'
import { compile } from '../lifecycle/plan-boot.ts'
import { reboot } from '../lifecycle/start-session.ts'
import { askDaemon } from '../lifecycle/transport.ts'
import { waitForChange } from '../lifecycle/wait-for-change.ts'
import type { Parts } from '../parts.ts'
import { requireHere } from '../sessions-here.ts'
import { changeSession, moveSession, type SessionRow } from '../store/sessions.ts'
import { findOpenTurn } from '../store/turns.ts'

type Ops = typeof operations.sessions

/** Kept with the session; a runtime that runs starts again with it, unless it works just now. */
export async function changeModel(parts: Parts, call: Call<Ops['changeModel']>) {
  const { row } = await openSession(parts, call)
  const model = requireModel(await parts.models.listModels(row.projectId), call.body.opencode_model)
  await parts.kernel.database.transact(call.actor, async (tx) => {
    await changeSession(tx.db, row.sessionId, { model, modelSource: 'request' })
    await tx.audit({
      action: 'session.model',
      sessionId: row.sessionId,
      resourceType: 'session',
      resourceId: row.sessionId,
      before: { model: row.model },
      after: { model },
    })
  })
  // Every prompt names its model, so the next one is answered by it without a restart.
  const isLive = parts.live.find(row.sessionId) !== undefined
  return { opencode_model: model, applied_live: isLive, detail: 'The next prompt is answered by it.' }
}

export async function readConfigState(parts: Parts, call: Call<Ops['configState']>) {
  const { row } = await openSession(parts, call)
  const latest = await compileLatest(parts, row)
  const running = await readRunning(parts, row)
  const runningEtag = running?.etag ?? null
  const isKnown = running !== undefined && latest !== undefined
  return {
    base_ref: row.baseRef,
    running_etag: runningEtag,
    latest_etag: latest?.etag ?? null,
    commit_sha: latest?.commit ?? null,
    stale: isKnown ? runningEtag !== latest.etag : null,
    sandbox_reachable: running !== undefined,
  }
}

async function compileLatest(parts: Parts, row: SessionRow) {
  try {
    const plan = await readPlan(parts, row.projectId, row.baseRef)
    const compiled = await compile(parts, plan, row)
    return { etag: compiled?.etag ?? null, commit: plan.baseSha }
  } catch (error) {
    if (!Problem.isInstance(error)) throw error
    return undefined
  }
}

async function readRunning(parts: Parts, { sessionId }: SessionRow): Promise<{ etag: string | null } | undefined> {
  const running = parts.live.find(sessionId)
  if (!running) return undefined
  try {
    const health = { method: 'GET', path: '/svc/health', timeoutMs: 5_000 }
    const { body } = await askDaemon(parts, running.machine.externalId, health)
    return { etag: typeof body.agent_config_etag === 'string' ? body.agent_config_etag : null }
  } catch {
    // It does not answer: what runs in it is unknown, which is an answer.
    return undefined
  }
}

const reloadWaitMs = 100_000

/** The runtime starts again with the newest configuration; disk and conversation stay. */
export async function reloadConfig(parts: Parts, call: Call<Ops['reloadConfig']>) {
  const { row } = await openSession(parts, call)
  const { refresh_repo: refreshes = false, force = false } = call.body
  if (row.status === 'running') requireHere(parts, row)
  const running = parts.live.find(row.sessionId)
  if (!running || row.status !== 'running') throw problem('session_not_running', { extras: { status: row.status } })
  const turn = await findOpenTurn(parts.kernel.database.db, row.sessionId)
  if (turn && !force) throw problem('session_busy')
  const isRefreshed = refreshes && (await refreshRepository(parts, running.machine.externalId))
  const latest = await compileLatest(parts, row)
  if (!isRefreshed && !force && latest?.etag === row.configEtag) {
    return describeReload(row, row, { isApplied: false, isRefreshed, reason: 'unchanged' })
  }
  if (turn) await running.runtime.abort(running.send, running.conversationId)
  await beginReload(parts, call, row)
  void reboot(parts, row.sessionId)
  const settled = await waitForChange(
    parts,
    row.sessionId,
    reloadWaitMs,
    call.signal,
    ({ status }) => status !== 'provisioning',
  )
  const isApplied = settled?.status === 'running'
  const result = describeReload(row, settled ?? row, { isApplied, isRefreshed })
  return { ...result, opencode_reload: isApplied ? ('restarted' as const) : null, turn_ended: turn !== undefined }
}

async function beginReload(parts: Parts, { actor }: Call, { sessionId }: SessionRow): Promise<void> {
  await parts.kernel.database.transact(actor, async (tx) => {
    const moved = await moveSession(tx.db, sessionId, ['running'], {
      status: 'provisioning',
      operationId: newId(),
      bootingSince: parts.kernel.clock.now(),
    })
    if (!moved) throw problem('session_not_running')
    await tx.audit({ action: 'session.reload', sessionId, resourceType: 'session', resourceId: sessionId })
    await tx.publish(sessionChanged.event(describeChange(moved)))
  })
}

async function refreshRepository(parts: Parts, externalId: string): Promise<boolean> {
  const request = { method: 'POST', path: '/svc/refresh?restart=0&config_dir=1', body: {}, timeoutMs: 60_000 }
  const { status, body } = await askDaemon(parts, externalId, request)
  if (status === 200) return true
  throw problem('sandbox_unreachable', { ...(typeof body.error === 'string' ? { say: body.error } : {}) })
}

function describeReload(
  before: SessionRow,
  after: SessionRow,
  { isApplied, isRefreshed, reason }: { isApplied: boolean; isRefreshed: boolean; reason?: string },
) {
  return {
    applied: isApplied,
    previous_etag: before.configEtag,
    etag: after.configEtag,
    repo_refreshed: isRefreshed,
    commit_sha: after.configCommit,
    ...(reason ? { reason } : {}),
    detail: isApplied ? 'The session runs with the newest configuration.' : 'The configuration did not change.',
  }
}
