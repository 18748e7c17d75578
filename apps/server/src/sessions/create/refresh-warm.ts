import type { operations, ResultOf } from '@svc/contract'
import { readBranch, updateRefs } from '../../git/index.ts'
import { systemActor } from '../../kernel/actor.ts'
import { sayError } from '../../kernel/log/index.ts'
import { recordChange } from '../../repositories/index.ts'
import { beginReboot } from '../lifecycle/begin-reboot.ts'
import { compile } from '../lifecycle/plan-boot.ts'
import { reboot } from '../lifecycle/start-session.ts'
import { askDaemon } from '../lifecycle/transport.ts'
import type { Parts } from '../parts.ts'
import { noteSession, type SessionRow } from '../store/sessions.ts'
import { type Plan, readPlan } from './read-plan.ts'

type Refresh = ResultOf<typeof operations.sessions.warm>['workspace_refresh']

const timeoutMs = 60_000

/** Brings a warm session to the newest commit of its base: nobody has prompted it, so nothing in it is anybody's work. */
export async function refreshWarm(parts: Parts, row: SessionRow): Promise<Refresh> {
  const { sessionId, baseSha } = row
  const running = parts.live.find(sessionId)
  if (!running || baseSha === null || !row.repositoryAccess) return { status: 'skipped' }
  try {
    const plan = await readPlan(parts, row.projectId, row.baseRef)
    const shas = { before_sha: baseSha, after_sha: plan.baseSha }
    if (plan.baseSha === baseSha) return { status: 'unchanged', ...shas }
    await moveBranch(parts, row, plan)
    await resetWorkspace(parts, running.machine.externalId, plan.baseSha)
    await noteSession(parts.kernel.database.db, sessionId, { baseSha: plan.baseSha })
    await takeConfiguration(parts, row, plan)
    return { status: 'updated', ...shas }
  } catch (error) {
    parts.kernel.log.warn('a warm session could not be refreshed', { session_id: sessionId, error })
    return { status: 'failed', before_sha: baseSha, error: sayError(error) }
  }
}

async function resetWorkspace(parts: Parts, externalId: string, sha: string): Promise<void> {
  const path = `/svc/refresh?base=1&base_sha=${sha}`
  const { status, body } = await askDaemon(parts, externalId, { method: 'POST', path, timeoutMs, isOwnCall: true })
  if (status !== 200) throw new Error(typeof body.error === 'string' ? body.error : 'The machine did not refresh.')
}

/** Its branch stands where the session stands, so that its first push is a plain one. */
async function moveBranch(parts: Parts, row: SessionRow, { repository, baseSha }: Plan): Promise<void> {
  const oldSha = await readBranch(repository.git, row.branchName)
  if (repository.kind !== 'managed' || oldSha === null || oldSha === baseSha) return
  const change = { ref: `refs/heads/${row.branchName}`, oldSha, newSha: baseSha }
  await updateRefs(repository.git, [change], `session ${row.sessionId}`)
  await parts.kernel.database.transact({ ...systemActor, sessionId: row.sessionId }, (tx) =>
    recordChange(tx, repository, [change], { action: 'session.branch' }),
  )
}

/** Agents that the newer commit declares otherwise reach a runtime only by its start. */
async function takeConfiguration(parts: Parts, row: SessionRow, plan: Plan): Promise<void> {
  const compiled = await compile(parts, plan, row)
  if ((compiled?.etag ?? null) === row.configEtag) return
  await parts.kernel.database.transact(systemActor, (tx) => beginReboot(parts, tx, row.sessionId))
  void reboot(parts, row.sessionId)
}
