import { systemActor } from '../../kernel/actor.ts'
import { settleAll } from '../../kernel/settle-all.ts'
import { describeChange } from '../create/create-session.ts'
import { sessionChanged } from '../events.ts'
import type { Machine, Parts } from '../parts.ts'
import { nameOf } from '../session-record.ts'
import { admitTurn, scopeTurn } from '../settings/apply-scope.ts'
import { findSession, moveSession, type SessionRow } from '../store/sessions.ts'
import { BootCancelled, BootFailure, describeFailure, mayPass } from './boot-failure.ts'
import { idleAfterTurn } from './idle-times.ts'
import { mintSessionToken } from './mint-session-token.ts'
import { type BootPlan, planBoot, writeBoot } from './plan-boot.ts'
import { publishBranch } from './publish-branch.ts'
import type { Running } from './running.ts'
import { scopeOf } from './session-scope.ts'
import { askDaemon, createTransport } from './transport.ts'

const runtimeTimeoutMs = 5 * 60_000
const maxAttempts = 2
const retryMs = 1_000
const publishAfterMs = 50

/**
 * From `provisioning` to `running`. Every step may be repeated after a crash. A step that finds the session stopped,
 * deleted or begun anew gives up quietly.
 */
export async function bootSession(parts: Parts, row: SessionRow): Promise<Running | undefined> {
  const operationId = row.operationId ?? ''
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await boot(parts, row, operationId)
    } catch (error) {
      await parts.sandboxes.stopMachine(row.sessionId).catch((failure: unknown) => {
        parts.kernel.log.warn('a machine that did not come up could not be stopped', { error: failure })
      })
      // The next start of the platform goes on with it.
      if (error instanceof BootCancelled || parts.live.isStopping()) return undefined
      parts.kernel.log.warn('a session did not start', { session_id: row.sessionId, attempt, error })
      if (attempt < maxAttempts && mayPass(error)) await parts.kernel.clock.sleep(retryMs)
      else return await giveUp(parts, row, operationId, error)
    }
  }
}

async function giveUp(parts: Parts, row: SessionRow, operationId: string, error: unknown): Promise<undefined> {
  const failure = describeFailure(error)
  await settle(parts, row, operationId, { status: 'failed', error: failure.message, failure, bootingSince: null })
}

async function boot(parts: Parts, row: SessionRow, operationId: string): Promise<Running> {
  const { sandboxes } = parts
  const { sessionId } = row
  const [plan, left] = await settleAll([planBoot(parts, row), sandboxes.findMachine(sessionId)])
  const scope = scopeOf(row, plan.agent, plan.secrets)
  if (left && mayRun(left)) await sandboxes.stopMachine(sessionId)
  const machine = await startMachine(parts, row, operationId, plan)
  await waitForRuntime(parts, machine, () => requireCurrent(parts, sessionId, operationId))
  const runtime = parts.runtimes.runtimeFor(row.runtime)
  const send = createTransport(parts, machine.externalId)
  const title = nameOf(row) ?? 'New session'
  const { conversationId } = await runtime.open(send, row.conversationId ?? undefined, title)
  const pin = { method: 'PUT', path: '/svc/conversation', body: { opencode_session_id: conversationId } }
  await askDaemon({ sandboxes }, machine.externalId, { ...pin, timeoutMs: 10_000 })
  const now = parts.kernel.clock.now()
  const running = await settle(parts, row, operationId, {
    status: 'running',
    error: null,
    failure: null,
    bootingSince: null,
    conversationId,
    readyAt: now,
    idleAt: idleAfterTurn(now, row.spawnedBy !== null),
    configEtag: plan.compiled?.etag ?? null,
    configCommit: plan.plan.baseSha,
  })
  if (!running) throw new BootCancelled()
  // It starts programs, for which the server stands still: whoever waits for the session hears of it first.
  setTimeout(() => void publishBranch(parts, running, plan.plan.repository), publishAfterMs).unref()
  const up: Running = {
    row: running,
    machine,
    runtime,
    send,
    conversationId,
    scope,
    admitted: new Set(),
    prepareTurn: (agentName, turnToken) => scopeTurn(parts, up, agentName, turnToken),
    admitTurn: (agentName) => admitTurn(parts, up, agentName),
  }
  return up
}

/** With a token and an environment of its own: a machine that a boot cut off left running has the older ones. */
async function startMachine(parts: Parts, row: SessionRow, operationId: string, plan: BootPlan): Promise<Machine> {
  const { sandboxes } = parts
  const { sessionId, projectId, accountId } = row
  // The machine first: its workspace is copied by others while the token is written.
  const [, boot] = await settleAll([
    sandboxes.createMachine({
      sandboxId: sessionId,
      projectId,
      accountId,
      provider: row.sandboxProvider,
      templateSlug: row.sandboxSlug,
      ...(plan.workspace ? { workspace: plan.workspace } : {}),
    }),
    mintSessionToken(parts, row, plan.agent).then((token) => writeBoot(parts, row, plan, token)),
  ])
  await requireCurrent(parts, sessionId, operationId)
  return sandboxes.startMachine(sessionId, boot)
}

/** Unless it is known to have ended: what was last written of it may be from before it came up. */
export const mayRun = ({ status }: Pick<Machine, 'status'>) => status !== 'stopped' && status !== 'archived'

async function settle(parts: Parts, row: SessionRow, operationId: string, change: Parameters<typeof moveSession>[3]) {
  return parts.kernel.database.transact(systemActor, async (tx) => {
    const moved = await moveSession(tx.db, row.sessionId, ['provisioning'], change, operationId)
    if (moved) await tx.publish(sessionChanged.event(describeChange(moved)))
    return moved
  })
}

async function requireCurrent({ kernel, live }: Parts, sessionId: string, operationId: string): Promise<void> {
  if (live.isStopping()) throw new BootCancelled()
  const row = await findSession(kernel.database.db, sessionId)
  if (row?.status !== 'provisioning' || row.operationId !== operationId || row.deletedAt !== null) {
    throw new BootCancelled()
  }
}

/** The daemon answers when there is news; as often as that the boot is asked whether it is still wanted. */
const lookMs = 300
const pauseMs = 5
/** A runtime that ended is started again in a while. */
const longPauseMs = 100

/** Until the runtime inside answers; what the daemon says went wrong is what people are told. */
async function waitForRuntime(parts: Parts, { externalId }: Machine, stillWanted: () => Promise<void>): Promise<void> {
  const { clock } = parts.kernel
  const deadlineMs = clock.nowMs() + runtimeTimeoutMs
  while (clock.nowMs() < deadlineMs) {
    const path = `/svc/health?wait_ms=${lookMs}`
    const { body } = await askDaemon(parts, externalId, { method: 'GET', path, timeoutMs: 10_000 })
    if (typeof body.boot_error === 'string') {
      const isGit = body.repo_required === true && body.repo_ready !== true
      throw new BootFailure(isGit ? 'git-auth' : 'sandbox-provider', body.boot_error)
    }
    const hasRepository = body.repo_required !== true || body.repo_ready === true
    if (body.opencode === 'ok' && hasRepository) return
    await stillWanted()
    await clock.sleep(body.opencode === 'down' ? longPauseMs : pauseMs)
  }
  throw new BootFailure('sandbox-provider', 'The agent runtime did not answer within five minutes.')
}
