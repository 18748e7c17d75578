import type { operations } from '@svc/contract'
import { type Call, Problem, problem } from '../../kernel/http/index.ts'
import { readViewer } from '../access.ts'
import type { Parts } from '../parts.ts'
import { describeSession } from '../session-record.ts'
import { opens } from '../store/list-page.ts'
import { findSession, findWarm } from '../store/sessions.ts'
import { draftSession, insertSession } from './create-session.ts'
import { hasCapacity } from './limits.ts'
import { refreshWarm } from './refresh-warm.ts'

const skipped = { status: 'skipped' as const }

/** A session that is ready before it is needed. It never takes the last place that somebody may need for real work. */
export async function warmSession(parts: Parts, call: Call<typeof operations.sessions.warm>) {
  const { projectId, principal } = call
  await parts.projects.requireFeature(projectId, 'warm_sessions')
  if (principal.id === '') throw problem('warm_session_unavailable')
  const viewer = await readViewer(parts, principal, call)
  const { db } = parts.kernel.database
  const whose = { projectId, ownerId: principal.id, spawnedBy: principal.sessionId, isOpen: opens(viewer) }
  const known = await findWarm(db, { ...whose, exceptId: call.body.exclude_session_id })
  if (known) {
    const workspace_refresh = await refreshWarm(parts, known)
    const row = (await findSession(db, known.sessionId)) ?? known
    return { session: await describeSession(parts, viewer, row), reused: true, workspace_refresh }
  }
  if (!(await hasCapacity(parts, db))) throw problem('warm_session_unavailable')
  const row = await insertWarm(parts, call)
  return { session: await describeSession(parts, viewer, row), reused: false, workspace_refresh: skipped }
}

async function insertWarm(parts: Parts, call: Call<typeof operations.sessions.warm>) {
  try {
    return await insertSession(parts, call, await draftSession(parts, call, {}), { isWarm: true })
  } catch (error) {
    if (Problem.isInstance(error) && error.status === 429) throw problem('warm_session_unavailable', { cause: error })
    throw error
  }
}
