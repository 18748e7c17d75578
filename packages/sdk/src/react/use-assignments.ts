'use client'
import type { IamCalls } from '../client/iam-calls.ts'
import { hookClient, type MaybeId, requireId, svcKey, useSvcMutation, useSvcQuery } from './svc-query.ts'

type Filter = NonNullable<Parameters<IamCalls['listAssignments']>[1]>

/**
 * Who was given which role where, with `create` and `revoke`. A change also asks again what may be done.
 *
 * @example
 * const { data, create } = useAssignments(accountId, { scope_type: 'project', scope_id: projectId })
 */
export function useAssignments(accountId: MaybeId, filter: Filter = {}) {
  const read = accountId ? () => hookClient().iam.listAssignments(accountId, filter) : null
  const key = svcKey('account', accountId, 'assignments')
  const stale = [key, svcKey('can'), svcKey('project')]
  return {
    ...useSvcQuery([...key, filter], 'inventory', read),
    create: useSvcMutation(
      (input: Parameters<IamCalls['createAssignment']>[1]) =>
        requireId(accountId, (id) => hookClient().iam.createAssignment(id, input)),
      ...stale,
    ),
    revoke: useSvcMutation(
      (assignmentId: string) => requireId(accountId, (id) => hookClient().iam.revokeAssignment(id, assignmentId)),
      ...stale,
    ),
  }
}

/**
 * The roles that can be given in an account: the system's, then its own.
 *
 * @example
 * const { data } = useRoles(accountId)
 */
export function useRoles(accountId: MaybeId) {
  const read = accountId ? () => hookClient().iam.roles.list(accountId) : null
  return useSvcQuery(svcKey('account', accountId, 'roles'), 'config', read)
}

/**
 * Whom a role can be given to besides people: groups and service accounts.
 *
 * @example
 * const { groups, serviceAccounts } = usePrincipals(accountId)
 */
export function usePrincipals(accountId: MaybeId) {
  const iam = accountId ? hookClient().iam : null
  const id = accountId ?? ''
  const key = (part: string) => svcKey('account', accountId, part)
  return {
    groups: useSvcQuery(key('groups'), 'inventory', iam && (() => iam.groups.list(id))),
    serviceAccounts: useSvcQuery(key('service-accounts'), 'inventory', iam && (() => iam.serviceAccounts.list(id))),
  }
}
