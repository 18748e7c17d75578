'use client'
import type { SessionCalls } from '../session/session-handle.ts'
import { hookClient, type MaybeId, requireId, svcKey, useSvcMutation, useSvcQuery } from './svc-query.ts'

/**
 * What a session has cost so far.
 *
 * @example
 * const { data: cost } = useSessionCost(projectId, sessionId)
 */
export function useSessionCost(projectId: MaybeId, sessionId: MaybeId) {
  const read = projectId && sessionId ? () => hookClient().session(projectId, sessionId).cost() : null
  return useSvcQuery(svcKey('project', projectId, 'session', sessionId, 'cost'), 'volatile', read)
}

/**
 * The ports of a session that serve something, with the address where a person sees each.
 *
 * @example
 * const { data: previews } = useSessionPreviews(projectId, sessionId)
 */
export function useSessionPreviews(projectId: MaybeId, sessionId: MaybeId) {
  const read =
    projectId && sessionId
      ? async () => {
          const session = hookClient().session(projectId, sessionId)
          const { candidates } = await session.previews()
          return candidates.map((one) => ({ ...one, url: session.previewUrl(one.port, one.path) }))
        }
      : null
  return useSvcQuery(svcKey('project', projectId, 'session', sessionId, 'previews'), 'volatile', read)
}

/**
 * Links that show a part of a session to anyone who has them, with `create` and `revoke`.
 *
 * @example
 * const { data, create } = useSessionShares(projectId, sessionId)
 */
export function useSessionShares(projectId: MaybeId, sessionId: MaybeId) {
  const key = svcKey('project', projectId, 'session', sessionId, 'shares')
  const on = <T>(use: (shares: SessionCalls['publicShares']) => Promise<T>) =>
    requireId(projectId, (project) => requireId(sessionId, (id) => use(hookClient().session(project, id).publicShares)))
  return {
    ...useSvcQuery(key, 'volatile', projectId && sessionId ? () => on((shares) => shares.list()) : null),
    create: useSvcMutation(
      (input: Parameters<SessionCalls['publicShares']['create']>[0]) => on((shares) => shares.create(input)),
      key,
    ),
    revoke: useSvcMutation((shareId: string) => on((shares) => shares.revoke(shareId)), key),
  }
}

/**
 * A folder of a session's sandbox. Null instead of a path reads nothing.
 *
 * @example
 * const { data: entries } = useSessionFolder(projectId, sessionId, '/workspace')
 */
export function useSessionFolder(projectId: MaybeId, sessionId: MaybeId, path: MaybeId) {
  const key = svcKey('project', projectId, 'session', sessionId, 'folder', path)
  const isOn = projectId && sessionId && path
  const read = isOn
    ? async () => {
        const session = hookClient().session(projectId, sessionId)
        await session.ensureReady()
        return session.files.list(path)
      }
    : null
  return useSvcQuery(key, 'volatile', read)
}

/**
 * One file of a session's sandbox, as it is right now.
 *
 * @example
 * const { data: file } = useSessionFile(projectId, sessionId, '/workspace/README.md')
 */
export function useSessionFile(projectId: MaybeId, sessionId: MaybeId, path: MaybeId) {
  const key = svcKey('project', projectId, 'session', sessionId, 'file', path)
  const isOn = projectId && sessionId && path
  const read = isOn
    ? async () => {
        const session = hookClient().session(projectId, sessionId)
        await session.ensureReady()
        return session.files.read(path)
      }
    : null
  return useSvcQuery(key, 'volatile', read)
}
