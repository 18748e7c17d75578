'use client'
import { isApiError } from '../errors/api-error.ts'
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

/**
 * A file that both sides of a change request changed: as it is on the base branch, on the other, and where they parted.
 * A side that does not have it is null.
 *
 * @example
 * const { data } = useConflictingFile(projectId, 'README.md', { baseSha, headSha, mergeBase })
 */
export function useConflictingFile(
  projectId: MaybeId,
  path: string,
  { baseSha, headSha, mergeBase = null }: ConflictingCommits,
) {
  const files = projectId ? hookClient().project(projectId).files : null
  const readSide = async (sha: string): Promise<string | null> => {
    try {
      return (await files?.read(path, sha))?.content ?? null
    } catch (error) {
      if (isApiError(error) && error.status === 404) return null
      throw error
    }
  }
  const read = async () => {
    const ancestry = mergeBase === null ? null : readSide(mergeBase)
    const [base, head, ancestor] = await Promise.all([readSide(baseSha), readSide(headSha), ancestry])
    return { base, head, ancestor }
  }
  return useSvcQuery(svcKey('project', projectId, 'conflict', path, baseSha, headSha, mergeBase), 'live', files && read)
}

/** The tips of a change request, and where they parted, as its merge preview names them. */
interface ConflictingCommits {
  readonly baseSha: string
  readonly headSha: string
  readonly mergeBase?: string | null | undefined
}
