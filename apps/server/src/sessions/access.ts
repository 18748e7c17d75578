import type { AnyOperation } from '@svc/contract'
import { type Call, problem } from '../kernel/http/index.ts'
import type { Principal } from '../kernel/principal.ts'
import type { Parts } from './parts.ts'
import type { Audience, Viewer } from './store/list-page.ts'
import { listGroupIds } from './store/people.ts'
import { findSession, type SessionRow } from './store/sessions.ts'

export interface Rights {
  readonly isOwner: boolean
  readonly canOpen: boolean
  readonly canManageSharing: boolean
  readonly canManageLifecycle: boolean
}

/** What of a session decides who may open it. */
export type JudgedSession = Pick<
  SessionRow,
  'sessionId' | 'ownerId' | 'ownerType' | 'visibility' | 'origin' | 'sharedMembers' | 'sharedGroups' | 'spawnedBy'
>

/** Who may open a session, and who may change it. The list applies the same rule as a condition of its query. */
export function judge(viewer: Viewer, row: JudgedSession): Rights {
  const isOwner = viewer.id !== undefined && row.ownerId === viewer.id
  const isManager = viewer.isManager && !viewer.isAgent
  const isOwnerless = row.ownerType !== 'user'
  // An agent works for the owner in its own session; who else sees the owner's others is not for it to say.
  const isSibling = viewer.isAgent && viewer.sessionId !== row.sessionId
  return {
    isOwner,
    canOpen: viewer.isAgent ? opensAsAgent(viewer, row) : opens(viewer, row, isOwner),
    canManageSharing: (isOwner && !isSibling) || (isManager && isOwnerless),
    canManageLifecycle: (isOwner && (!viewer.isAgent || isOwnWork(viewer, row))) || isManager,
  }
}

function opens(viewer: Viewer, row: JudgedSession, isOwner: boolean): boolean {
  if (isOwner || row.visibility === 'project') return true
  const isOfTrigger = row.origin === 'trigger' || row.origin === 'schedule'
  if (isOfTrigger && viewer.isManager) return true
  if (row.visibility !== 'restricted') return false
  if (viewer.id !== undefined && row.sharedMembers.includes(viewer.id)) return true
  return row.sharedGroups.some((groupId) => viewer.groupIds.includes(groupId))
}

/** Whoever may open its session can speak to an agent: what only the person it works for may open is not for it. */
function opensAsAgent(viewer: Viewer, row: JudgedSession): boolean {
  return isOwnWork(viewer, row) || (row.visibility === 'project' && row.origin !== 'backend')
}

/** Its own session, and those it started, as long as nobody can speak to it who may not open them. */
function isOwnWork({ sessionId, audience }: Viewer, row: JudgedSession): boolean {
  if (sessionId === undefined) return false
  const isStarted = row.spawnedBy === sessionId && audience !== undefined
  return row.sessionId === sessionId || (isStarted && opensTo(audience, row))
}

function opensTo(audience: Audience, row: JudgedSession): boolean {
  if (audience.visibility === 'private' || row.visibility === 'project') return true
  if (audience.visibility === 'project' || row.visibility === 'private') return false
  const [members, groups] = [new Set(row.sharedMembers), new Set(row.sharedGroups)]
  return audience.sharedMembers.every((id) => members.has(id)) && audience.sharedGroups.every((id) => groups.has(id))
}

/** What is looked at: a session, or a project where nothing is known of the sessions yet. */
type Scope = Pick<SessionRow, 'accountId' | 'projectId'> & Partial<Pick<SessionRow, 'spawnedBy'>>

export async function readViewer(parts: Parts, principal: Principal, scope: Scope): Promise<Viewer> {
  const standing = await readStanding(parts, principal, scope)
  const isPerson = principal.kind === 'user' && standing.id !== undefined
  const groupIds = isPerson ? await listGroupIds(parts.kernel.database.sql, scope.accountId, principal.id) : []
  return { ...standing, groupIds }
}

/** All but the groups. A session's own token never has the standing of the person who launched it. */
export async function readStanding(
  parts: Parts,
  principal: Principal,
  scope: Scope,
): Promise<Omit<Viewer, 'groupIds'>> {
  const { id, sessionId } = principal
  const isAgent = sessionId !== undefined || principal.agentGrant !== undefined
  const isManager = !isAgent && (await parts.refusal(principal, 'project.write', scope)) === undefined
  // Who can speak to an agent decides only about what it started.
  const isStarted = scope.spawnedBy === undefined || scope.spawnedBy === sessionId
  const audience =
    sessionId !== undefined && isStarted ? await findSession(parts.kernel.database.db, sessionId) : undefined
  return { id: id === '' ? undefined : id, sessionId, isAgent, isManager, audience }
}

export interface Opened {
  readonly row: SessionRow
  readonly viewer: Viewer
  readonly rights: Rights
}

/** The session a call is about. One that the caller cannot open, or that was deleted, answers as one that never was. */
export async function openSession<Op extends AnyOperation>(parts: Parts, call: Call<Op>): Promise<Opened> {
  const { sessionId } = call.params as { sessionId: string }
  return openFor(parts, call.principal, sessionId, call.projectId)
}

export async function openFor(
  parts: Parts,
  principal: Principal,
  sessionId: string,
  projectId?: string,
): Promise<Opened> {
  const row = await findSession(parts.kernel.database.db, sessionId)
  if (!row || row.deletedAt !== null || (projectId !== undefined && row.projectId !== projectId)) throw missingSession()
  const viewer = await readViewer(parts, principal, row)
  const rights = judge(viewer, row)
  if (!rights.canOpen) throw missingSession()
  return { row, viewer, rights }
}

export function requireLifecycle({ rights }: Opened): void {
  if (rights.canManageLifecycle) return
  throw problem('forbidden', {
    say: 'Only the owner of a session or a manager of the project may do this.',
    next: 'Ask one of them.',
  })
}

export function requireSharing({ rights, row }: Opened): void {
  if (rights.canManageSharing) return
  const who = row.ownerType === 'user' ? 'its owner' : 'a manager of the project'
  throw problem('forbidden', { say: `Only ${who} decides who may open this session.` })
}

export const missingSession = () => problem('not_found', { say: 'There is no such session.' })
