import type { operations } from '@svc/contract'
import { type Call, invalid, refuseAgents } from '../kernel/http/index.ts'
import { judge, openSession, requireSharing } from './access.ts'
import { beginReboot } from './lifecycle/begin-reboot.ts'
import { personalOwner } from './lifecycle/delivered-secrets.ts'
import { mustForget } from './lifecycle/session-scope.ts'
import { reboot } from './lifecycle/start-session.ts'
import type { Parts } from './parts.ts'
import { describeSession, toIntent } from './session-record.ts'
import { readScope } from './settings/apply-scope.ts'
import { pushScope } from './settings/scope.ts'
import { changeSession, type SessionRow } from './store/sessions.ts'

type Ops = typeof operations.sessions

/** Says who may open a session. Only people do: an agent works for its owner, and decides for nobody. */
export async function setSharing(parts: Parts, call: Call<Ops['setSharing']>) {
  refuseAgents(call.principal, 'decide who may open a session')
  const opened = await openSession(parts, call)
  requireSharing(opened)
  const { row, viewer } = opened
  const { sessionId } = row
  const change = toVisibility(call.body)
  if (!judge(viewer, { ...row, ...change }).canOpen) {
    throw invalid([{ path: 'mode', message: 'would take away your own access' }])
  }
  const holds = await holdsPersonal(parts, row, { ...row, ...change })
  const { changed, mustReboot } = await parts.kernel.database.transact(call.actor, async (tx) => {
    const next = await changeSession(tx.db, sessionId, change)
    const isDue = holds || (next !== undefined && cameUpPrivate(row, next))
    await tx.audit({
      action: 'session.sharing',
      sessionId,
      resourceType: 'session',
      resourceId: sessionId,
      before: toIntent(row),
      after: call.body,
    })
    return { changed: (isDue ? await beginReboot(parts, tx, sessionId) : undefined) ?? next, mustReboot: isDue }
  })
  if (mustReboot) void reboot(parts, sessionId)
  else if (row.visibility !== change.visibility) await pushScope(parts, sessionId)
  return describeSession(parts, viewer, changed ?? row)
}

/**
 * Whether its processes may hold its owner's own secrets, which are not for those who are let in now. They get in only
 * after the machine was started again without them.
 */
async function holdsPersonal(parts: Parts, before: SessionRow, after: SessionRow): Promise<boolean> {
  if (!isOpened(before, after)) return false
  if (before.status === 'provisioning') return true
  const running = parts.live.find(before.sessionId)
  // On another server, which alone knows.
  if (!running) return before.status === 'running'
  return mustForget(running.scope, (await readScope(parts, after, running.scope.agent)).scope)
}

type Shared = Pick<SessionRow, 'ownerType' | 'ownerId' | 'visibility' | 'origin'>

const isOpened = (before: Shared, after: Shared) =>
  personalOwner(before) !== undefined && personalOwner(after) === undefined

/** A boot began after the session was looked at and before it was shared: it may have read what is its owner's alone. */
export function cameUpPrivate(
  before: Shared & Pick<SessionRow, 'status'>,
  after: Shared & Pick<SessionRow, 'status'>,
): boolean {
  const isUp = after.status === 'provisioning' || after.status === 'running'
  return isOpened(before, after) && isUp && after.status !== before.status
}

type Visibility = Pick<SessionRow, 'visibility' | 'sharedMembers' | 'sharedGroups'>

/** Nobody named is private. */
function toVisibility(intent: Call<Ops['setSharing']>['body']): Visibility {
  const none = { sharedMembers: [], sharedGroups: [] }
  if (intent.mode === 'project') return { visibility: 'project', ...none }
  if (intent.mode === 'private') return { visibility: 'private', ...none }
  const sharedMembers = [...new Set(intent.memberIds ?? [])]
  const sharedGroups = [...new Set(intent.groupIds ?? [])]
  if (sharedMembers.length + sharedGroups.length === 0) return { visibility: 'private', ...none }
  return { visibility: 'restricted', sharedMembers, sharedGroups }
}
