import { useSessionFile, useSessionFolder } from '@svc/sdk/react'
import { ArrowLeft, File, Folder, RotateCw } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { QueryView } from '../../../ui/query-view.tsx'
import { SourceLines } from '../../files/source-lines.tsx'
import type { PanelProps } from './panel-props.ts'

const workspace = '/workspace'

/** The machine's files as they are right now, committed or not. */
export function FilesPanel({ projectId, sessionId }: PanelProps) {
  const [folder, setFolder] = useState(workspace)
  const [file, setFile] = useState<string>()
  const entries = useSessionFolder(projectId, sessionId, file === undefined ? folder : null)
  if (file !== undefined) {
    return <OpenFile projectId={projectId} sessionId={sessionId} path={file} onBack={() => setFile(undefined)} />
  }
  return (
    <div className="flex flex-col gap-3">
      <div className="flex items-center gap-2">
        {folder !== workspace && (
          <Button size="small" aria-label="To the folder above" onClick={() => setFolder(parentOf(folder))}>
            <ArrowLeft className="size-3.5" aria-hidden />
          </Button>
        )}
        <code className="min-w-0 flex-1 truncate font-mono text-xs">{folder}</code>
        <Button size="small" aria-label="Read again" isBusy={entries.isFetching} onClick={() => void entries.refetch()}>
          <RotateCw className="size-3.5" aria-hidden />
        </Button>
      </div>
      <QueryView query={entries}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState title="Empty" />
          ) : (
            <ul className="flex flex-col">
              {rows.map(({ name, path, type }) => {
                const Icon = type === 'directory' ? Folder : File
                return (
                  <li key={path}>
                    <button
                      type="button"
                      onClick={() => (type === 'directory' ? setFolder(path) : setFile(path))}
                      className="flex w-full items-center gap-2 rounded px-2 py-1.5 text-left hover:bg-sunken"
                    >
                      <Icon
                        className="size-4 shrink-0 text-ink-faint"
                        aria-label={type === 'directory' ? 'Folder' : 'File'}
                      />
                      <span className="min-w-0 truncate">{name}</span>
                    </button>
                  </li>
                )
              })}
            </ul>
          )
        }
      </QueryView>
    </div>
  )
}

const parentOf = (path: string) => path.slice(0, path.lastIndexOf('/')) || workspace

interface OpenFileProps extends PanelProps {
  readonly path: string
  readonly onBack: () => void
}

function OpenFile({ projectId, sessionId, path, onBack }: OpenFileProps) {
  const file = useSessionFile(projectId, sessionId, path)
  return (
    <div className="flex flex-col gap-3">
      <div className="flex items-center gap-2">
        <Button size="small" icon={<ArrowLeft className="size-3.5" aria-hidden />} onClick={onBack}>
          Files
        </Button>
        <code className="min-w-0 flex-1 truncate font-mono text-xs">{path}</code>
        <Button size="small" aria-label="Read again" isBusy={file.isFetching} onClick={() => void file.refetch()}>
          <RotateCw className="size-3.5" aria-hidden />
        </Button>
      </div>
      <QueryView query={file}>
        {({ type, content }) =>
          type === 'text' ? <SourceLines text={content} label={path} /> : <Notice>This file is not text.</Notice>
        }
      </QueryView>
    </div>
  )
}
