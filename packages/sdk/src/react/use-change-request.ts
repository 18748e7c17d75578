'use client'
import { hookClient, type MaybeId, svcKey, useSvcQuery } from './svc-query.ts'

/**
 * One change request, what it changes, and whether it would merge now.
 *
 * @example
 * const { request, diff, preview } = useChangeRequest(projectId, crId)
 */
export function useChangeRequest(projectId: MaybeId, crId: MaybeId) {
  const calls = projectId && crId ? hookClient().project(projectId).changeRequests : null
  const key = (part: string) => svcKey('project', projectId, 'change-requests', crId, part)
  const id = crId ?? ''
  const request = useSvcQuery(key('record'), 'volatile', calls && (async () => (await calls.get(id)).change_request))
  const isOpen = request.data?.status === 'open'
  return {
    request,
    diff: useSvcQuery(key('diff'), 'inventory', calls && (() => calls.diff(id))),
    /** Nothing for a request that is not open. */
    preview: useSvcQuery(key('preview'), 'volatile', calls && isOpen ? () => calls.mergePreview(id) : null),
  }
}
