import { useSessionFolder } from '@svc/sdk/react'
import { ChevronRight, File, Folder } from 'lucide-react'
import { useState } from 'react'
import { classNames } from '../../../../ui/class-names.ts'
import { EmptyState } from '../../../../ui/empty-state.tsx'
import { QueryView } from '../../../../ui/query-view.tsx'
import { SkeletonRows } from '../../../../ui/skeleton.tsx'
import type { PanelProps } from '../panel-props.ts'

/** More rows than anybody reads are not put into the page. */
const maxRows = 500

interface TreeProps extends PanelProps {
  readonly folder: string
  readonly isUnsaved: (path: string) => boolean
  readonly onOpen: (path: string) => void
}

/** A folder of the machine, each folder in it opened in place. */
export function FileTree({ folder, ...rest }: TreeProps) {
  const entries = useSessionFolder(rest.projectId, rest.sessionId, folder)
  return (
    <QueryView query={entries} loading={<SkeletonRows rows={3} height="h-6" />}>
      {(rows) => {
        if (rows.length === 0) return <EmptyState title="Empty" />
        const sorted = [...rows].sort((a, b) => rank(a.type) - rank(b.type) || a.name.localeCompare(b.name))
        return (
          <ul className="flex flex-col">
            {sorted.slice(0, maxRows).map((entry) =>
              entry.type === 'directory' ? (
                <FolderRow key={entry.path} name={entry.name} isIgnored={entry.ignored} folder={entry.path} {...rest} />
              ) : (
                <li key={entry.path}>
                  <button
                    type="button"
                    onClick={() => rest.onOpen(entry.path)}
                    className={classNames(rowLook, 'pl-7', entry.ignored && 'text-ink-faint')}
                  >
                    <File className="size-4 shrink-0 text-ink-faint" aria-hidden />
                    <span className="min-w-0 truncate">{entry.name}</span>
                    {rest.isUnsaved(entry.path) && (
                      <span className="ml-auto size-2 shrink-0 rounded-full bg-warn">
                        <span className="sr-only">not saved</span>
                      </span>
                    )}
                  </button>
                </li>
              ),
            )}
            {rows.length > maxRows && (
              <li className="px-2 py-1 text-ink-faint">and {rows.length - maxRows} more: look at them in a terminal</li>
            )}
          </ul>
        )
      }}
    </QueryView>
  )
}

const rank = (type: string) => (type === 'directory' ? 0 : 1)
const rowLook = 'flex w-full items-center gap-2 rounded py-1 pr-2 text-left hover:bg-sunken'

function FolderRow({ name, isIgnored, ...rest }: TreeProps & { readonly name: string; readonly isIgnored: boolean }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <li>
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className={classNames(rowLook, 'pl-1', isIgnored && 'text-ink-faint')}
      >
        <ChevronRight className={classNames('size-4 shrink-0 text-ink-faint', isOpen && 'rotate-90')} aria-hidden />
        <Folder className="size-4 shrink-0 text-ink-faint" aria-hidden />
        <span className="min-w-0 truncate">{name}</span>
      </button>
      {isOpen && (
        <div className="ml-3 border-l border-line pl-1">
          <FileTree {...rest} />
        </div>
      )}
    </li>
  )
}
