import { useSessionAttachments } from '@svc/sdk/react'
import { useCallback, useState } from 'react'
import type { DraftFile } from '../../../data/prompt-drafts.ts'
import { showProblem } from '../../../ui/toasts.tsx'
import { type Attachment, findMime, maxAttachmentBytes, putBack } from './attachment.ts'

/** The files of the prompt that is being written. Each is uploaded at once, in verified pieces. */
export function useAttachments(projectId: string, sessionId: string, kept: readonly DraftFile[]) {
  const { upload, remove: removeThere } = useSessionAttachments(projectId, sessionId)
  const [list, setList] = useState<readonly Attachment[]>(() => putBack(kept))

  const change = useCallback(
    (id: string, fields: Partial<Attachment>) =>
      setList((now) => now.map((one) => (one.id === id ? { ...one, ...fields } : one))),
    [],
  )
  const send = useCallback(
    async (id: string, file: File) => {
      change(id, { state: 'uploading', loadedBytes: 0, error: undefined })
      try {
        const mime = await findMime(file)
        const onProgress = ({ loadedBytes }: { loadedBytes: number }) => change(id, { loadedBytes })
        const { path } = await upload(file, { onProgress })
        change(id, { state: 'ready', path, mime })
      } catch (error) {
        change(id, { state: 'failed', error })
      }
    },
    [upload, change],
  )
  const add = useCallback(
    (files: Iterable<File>) => {
      for (const file of files) {
        if (file.size > maxAttachmentBytes) {
          showProblem(
            new Error(`${file.name} is larger than ${maxAttachmentBytes / 1_000_000} MB. Attach a smaller file.`),
          )
          continue
        }
        const id = crypto.randomUUID()
        setList((now) => [...now, { id, name: file.name || 'pasted', file, state: 'uploading', loadedBytes: 0 }])
        void send(id, file)
      }
    },
    [send],
  )
  const remove = useCallback(
    (one: Attachment) => {
      setList((now) => now.filter(({ id }) => id !== one.id))
      // Left behind it does no harm: it lies outside the workspace and goes with the machine.
      if (one.path !== undefined) void removeThere(one.path).catch(() => undefined)
    },
    [removeThere],
  )
  return {
    list,
    add,
    remove,
    retry: ({ id, file }: Attachment) => void (file && send(id, file)),
    clear: () => setList([]),
    put: setList,
  }
}

export type Attachments = ReturnType<typeof useAttachments>
