'use client'
import { useQuery } from '@tanstack/react-query'
import type { ProjectSessionCalls } from '../client/project-calls.ts'
import { getSessionHealth } from '../runtime/get-session-health.ts'
import type { SessionCalls } from '../session/session-handle.ts'
import { isRuntimeReady } from '../sessions/is-runtime-ready.ts'
import { useSvcPages } from './svc-pages.ts'
import { hookClient, type MaybeId, requireId, svcKey, useSvcMutation, useSvcQuery } from './svc-query.ts'
import type { RuntimePhase } from './use-session.ts'

const HEALTH_EVERY_MS = 5000

/**
 * The sessions of a project, a page at a time, with `create`.
 *
 * @example
 * const { data: sessions, create } = useProjectSessions(projectId)
 */
export function useProjectSessions(projectId: MaybeId, scope?: 'visible' | 'project') {
  const query = useSvcPages(
    svcKey('project', projectId, 'sessions', scope ?? null),
    'volatile',
    projectId ? (client, cursor) => client.project(projectId).sessions.list({ scope, cursor }) : null,
    joinSessions,
  )
  const create = useSvcMutation(
    (input: Parameters<ProjectSessionCalls['create']>[0]) =>
      requireId(projectId, (id) => hookClient().project(id).sessions.create(input)),
    svcKey('project', projectId, 'sessions'),
  )
  return { ...query, create }
}

/**
 * One session as it is stored, with `update`, `setSharing`, `stop`, `restart` and `remove`.
 *
 * @example
 * const { data: session, update } = useProjectSession(projectId, sessionId)
 */
export function useProjectSession(
  projectId: MaybeId,
  sessionId: MaybeId,
  options: { readonly enabled?: boolean } = {},
) {
  const isOn = options.enabled !== false && projectId && sessionId
  const read = isOn ? () => hookClient().session(projectId, sessionId).get() : null
  // A key of its own: what is read from the machine stands below the session's, and reading it would wake a parked one.
  const key = svcKey('project', projectId, 'session', sessionId, 'record')
  const query = useSvcQuery(key, 'volatile', read)
  const stale = [key, svcKey('project', projectId, 'sessions')]
  const on = <T>(use: (calls: SessionCalls) => Promise<T>) =>
    requireId(projectId, (project) => requireId(sessionId, (id) => use(hookClient().session(project, id))))
  return {
    ...query,
    update: useSvcMutation(
      (input: Parameters<SessionCalls['update']>[0]) => on((calls) => calls.update(input)),
      ...stale,
    ),
    setSharing: useSvcMutation(
      (intent: Parameters<SessionCalls['setSharing']>[0]) => on((calls) => calls.setSharing(intent)),
      ...stale,
    ),
    stop: useSvcMutation(() => on((calls) => calls.stop()), ...stale),
    restart: useSvcMutation(() => on((calls) => calls.restart()), ...stale),
    remove: useSvcMutation(() => on((calls) => calls.delete()), ...stale),
  }
}

/**
 * How near the active runtime is to answering, asked every five seconds.
 *
 * @example
 * const phase = useRuntimePhase()
 */
export function useRuntimePhase(): RuntimePhase {
  const { data, isError } = useQuery({
    queryKey: svcKey('runtime-health'),
    queryFn: () => getSessionHealth(),
    refetchInterval: HEALTH_EVERY_MS,
    retry: false,
  })
  if (isError) return 'unreachable'
  if (!data || data.status === 0) return 'connecting'
  if (!data.ok) return data.hop === 'control_plane' ? 'booting' : 'unreachable'
  return isRuntimeReady(data.health) ? 'ready' : 'booting'
}

type Sessions = Awaited<ReturnType<ProjectSessionCalls['list']>>

const joinSessions = (pages: readonly Sessions[]): Sessions => pages.flat()
