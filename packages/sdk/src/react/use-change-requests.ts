'use client'
import type { ChangeRequestCalls } from '../client/project-calls.ts'
import { useSvcPages } from './svc-pages.ts'
import { hookClient, type MaybeId, requireId, svcKey, useSvcMutation } from './svc-query.ts'

/**
 * The change requests of a project, a page at a time, with `open`, `merge`, `close`, `reopen` and `requestChanges`. A
 * merge also makes the project's files stale.
 *
 * @example
 * const { data, merge } = useChangeRequests(projectId, 'open')
 * merge.mutate({ crId })
 */
export function useChangeRequests(projectId: MaybeId, status?: Parameters<ChangeRequestCalls['list']>[0]) {
  const query = useSvcPages(
    svcKey('project', projectId, 'change-requests', status ?? null),
    'inventory',
    projectId ? (client, cursor) => client.project(projectId).changeRequests.list(status, cursor) : null,
    joinRequests,
  )
  const stale = svcKey('project', projectId, 'change-requests')
  const on = <T>(use: (calls: ChangeRequestCalls) => Promise<T>) =>
    requireId(projectId, (id) => use(hookClient().project(id).changeRequests))
  return {
    ...query,
    open: useSvcMutation((input: Parameters<ChangeRequestCalls['open']>[0]) => on((calls) => calls.open(input)), stale),
    merge: useSvcMutation(
      ({ crId, input }: Change<'merge'>) => on((calls) => calls.merge(crId, input)),
      svcKey('project', projectId),
    ),
    close: useSvcMutation(({ crId, input }: Change<'close'>) => on((calls) => calls.close(crId, input)), stale),
    reopen: useSvcMutation(({ crId, input }: Change<'reopen'>) => on((calls) => calls.reopen(crId, input)), stale),
    requestChanges: useSvcMutation(
      ({ crId, input }: Required<Change<'requestChanges'>>) => on((calls) => calls.requestChanges(crId, input)),
      stale,
    ),
  }
}

/** Which change request, and what to send with it. */
interface Change<Name extends 'merge' | 'close' | 'reopen' | 'requestChanges'> {
  readonly crId: string
  readonly input?: Exclude<Parameters<ChangeRequestCalls[Name]>[1], undefined>
}

type Requests = Awaited<ReturnType<ChangeRequestCalls['list']>>
const joinRequests = (pages: readonly Requests[]): Requests => ({
  change_requests: pages.flatMap(({ change_requests }) => change_requests),
})
