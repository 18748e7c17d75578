'use client'
import type { ProjectAccessCalls, ProjectRole } from '../client/project-access-calls.ts'
import { hookClient, type MaybeId, requireId, svcKey, useSvcMutation, useSvcQuery } from './svc-query.ts'

const onAccess = <T>(projectId: MaybeId, use: (access: ProjectAccessCalls) => Promise<T>): Promise<T> =>
  requireId(projectId, (id) => use(hookClient().project(id).access))

/**
 * Invitations to a project that nobody accepted yet, with `resend` and `revoke`.
 *
 * @example
 * const { data, revoke } = useProjectInvites(projectId)
 */
export function useProjectInvites(projectId: MaybeId) {
  const key = svcKey('project', projectId, 'access', 'invites')
  const read = projectId ? () => hookClient().project(projectId).access.pendingInvites() : null
  return {
    ...useSvcQuery(key, 'inventory', read),
    resend: useSvcMutation((inviteId: string) => onAccess(projectId, (access) => access.resendInvite(inviteId)), key),
    revoke: useSvcMutation((inviteId: string) => onAccess(projectId, (access) => access.revokeInvite(inviteId)), key),
  }
}

/**
 * People who ask to be let into a project, with `approve` and `reject`.
 *
 * @example
 * const { data, approve } = useAccessRequests(projectId)
 */
export function useAccessRequests(projectId: MaybeId) {
  const key = svcKey('project', projectId, 'access')
  const read = projectId ? () => hookClient().project(projectId).access.requests() : null
  return {
    ...useSvcQuery([...key, 'requests'], 'inventory', read),
    approve: useSvcMutation(
      ({ requestId, role }: { requestId: string; role?: ProjectRole }) =>
        onAccess(projectId, (access) => access.approveRequest(requestId, role)),
      key,
      svcKey('can'),
    ),
    reject: useSvcMutation(
      (requestId: string) => onAccess(projectId, (access) => access.rejectRequest(requestId)),
      key,
    ),
  }
}
