'use client'
import { useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import type { UploadOptions } from '../files/upload-file.ts'
import { hookClient, type MaybeId, requireId, svcKey, useSvcMutation } from './svc-query.ts'

/** What became of a save: `changed` when somebody wrote the file since it was read, and then what it holds now. */
export type SavedFile = { readonly state: 'saved' } | { readonly state: 'changed'; readonly content: string }

/** One save of a file. */
export interface FileEdit {
  readonly path: string
  readonly content: string
  /** What the file held when it was read; without it whatever is there is replaced. */
  readonly expected?: string | undefined
}

/**
 * Saves a file of a session's sandbox, unless it changed since it was read.
 *
 * @example
 * const save = useSaveSessionFile(projectId, sessionId)
 * const { state } = await save.mutateAsync({ path, content, expected })
 */
export function useSaveSessionFile(projectId: MaybeId, sessionId: MaybeId) {
  return useSvcMutation(
    ({ path, content, expected }: FileEdit) =>
      requireId(projectId, (project) =>
        requireId(sessionId, async (id): Promise<SavedFile> => {
          const { files } = hookClient().session(project, id)
          if (expected !== undefined) {
            const { content: found } = await files.read(path)
            if (found !== expected) return { state: 'changed', content: found }
          }
          await files.write(path, content)
          return { state: 'saved' }
        }),
      ),
    svcKey('project', projectId, 'session', sessionId, 'file'),
  )
}

/**
 * Reads every folder and file of a session's sandbox again that is on the screen.
 *
 * @example
 * const refresh = useRefreshSessionFiles(projectId, sessionId)
 */
export function useRefreshSessionFiles(projectId: MaybeId, sessionId: MaybeId): () => Promise<void> {
  const queries = useQueryClient()
  return useCallback(async () => {
    for (const kind of ['folder', 'file']) {
      await queries.invalidateQueries({ queryKey: svcKey('project', projectId, 'session', sessionId, kind) })
    }
  }, [queries, projectId, sessionId])
}

/** Where attachments lie: outside the workspace, so that no commit takes them along. */
const ATTACHMENTS = '/tmp/attachments'

/**
 * Puts files into a session's sandbox for a prompt, in verified pieces, and takes them away again.
 *
 * @example
 * const { upload } = useSessionAttachments(projectId, sessionId)
 * const { path } = await upload(file, { onProgress: ({ loadedBytes }) => show(loadedBytes) })
 */
export function useSessionAttachments(projectId: string, sessionId: string) {
  const upload = useCallback(
    async (file: File, options?: UploadOptions) => {
      const { files } = hookClient().session(projectId, sessionId)
      const [stored] = await files.upload(file, ATTACHMENTS, file.name || 'pasted', options)
      if (!stored) throw new Error('The sandbox did not say where it put the file.')
      return stored
    },
    [projectId, sessionId],
  )
  const remove = useCallback(
    (path: string) => hookClient().session(projectId, sessionId).files.remove(path),
    [projectId, sessionId],
  )
  return { upload, remove }
}
