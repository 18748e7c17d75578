'use client'
import type { SessionCalls } from '../session/session-handle.ts'
import { hookClient, type MaybeId, requireId, svcKey, useSvcMutation } from './svc-query.ts'

/**
 * Commits what a session changed and pushes it to its branch.
 *
 * @example
 * const commit = useSessionCommit(projectId, sessionId)
 * await commit.mutateAsync({ message: 'Add a page' })
 */
export function useSessionCommit(projectId: MaybeId, sessionId: MaybeId) {
  return useSvcMutation(
    (input: Parameters<SessionCalls['commit']>[0]) =>
      requireId(projectId, (project) =>
        requireId(sessionId, (session) => hookClient().session(project, session).commit(input)),
      ),
    svcKey('project', projectId, 'change-requests'),
  )
}
