import { useRefreshSessionFiles } from '@svc/sdk/react'
import { RotateCw } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../../../ui/button.tsx'
import { Dialog } from '../../../../ui/dialog.tsx'
import type { PanelProps } from '../panel-props.ts'
import { useDrafts } from './drafts.ts'
import { FileEditor } from './file-editor.tsx'
import { FileTree } from './file-tree.tsx'

const workspace = '/workspace'

/** The machine's files as they are right now, committed or not. */
export function FilesPanel({ projectId, sessionId }: PanelProps) {
  const drafts = useDrafts()
  const [path, setPath] = useState<string>()
  const { leaving, unsaved } = drafts
  const refresh = useRefreshSessionFiles(projectId, sessionId)
  return (
    <>
      {path === undefined ? (
        <nav aria-label="Files of the machine">
          <div className="mb-2 flex items-center justify-between">
            <code className="font-mono text-xs text-ink-soft">{workspace}</code>
            <Button size="small" aria-label="Read again" onClick={() => void refresh()}>
              <RotateCw className="size-3.5" aria-hidden />
            </Button>
          </div>
          <FileTree
            projectId={projectId}
            sessionId={sessionId}
            folder={workspace}
            isUnsaved={drafts.isUnsaved}
            onOpen={setPath}
          />
        </nav>
      ) : (
        <FileEditor
          key={path}
          projectId={projectId}
          sessionId={sessionId}
          path={path}
          drafts={drafts}
          onBack={() => setPath(undefined)}
        />
      )}
      <Dialog
        title="Leave without saving?"
        description={`What you typed into ${unsaved.map((one) => one.replace(`${workspace}/`, '')).join(', ')} is lost.`}
        isOpen={leaving.status === 'blocked'}
        onOpenChange={(isOpen) => isOpen || leaving.reset?.()}
      >
        <div className="flex justify-end gap-2">
          <Button onClick={() => leaving.reset?.()}>Stay</Button>
          <Button look="danger" onClick={() => leaving.proceed?.()}>
            Leave
          </Button>
        </div>
      </Dialog>
    </>
  )
}
