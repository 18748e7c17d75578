import { useRefreshSessionFiles } from '@svc/sdk/react'
import { RotateCw } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Button } from '../../../../ui/button.tsx'
import { LeaveDialog } from '../../../../ui/leave-dialog.tsx'
import type { PanelProps } from '../panel-props.ts'
import { useDrafts } from './drafts.ts'
import { FileEditor } from './file-editor.tsx'
import { FileTree } from './file-tree.tsx'

const workspace = '/workspace'

interface FilesPanelProps extends PanelProps {
  /** Stands in place of the files while there is no machine; what was typed is kept. */
  readonly parked?: ReactNode
}

/** The machine's files as they are right now, committed or not. */
export function FilesPanel({ projectId, sessionId, parked }: FilesPanelProps) {
  const drafts = useDrafts()
  const [path, setPath] = useState<string>()
  const names = drafts.unsaved.map((one) => one.replace(`${workspace}/`, ''))
  const refresh = useRefreshSessionFiles(projectId, sessionId)
  return (
    <>
      {parked ??
        (path === undefined ? (
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
        ))}
      <LeaveDialog unsaved={names.length > 0 ? names.join(', ') : undefined} />
    </>
  )
}
