import { useConflictingFile } from '@svc/sdk/react'
import { useMemo, useState } from 'react'
import { QueryView } from '../../ui/query-view.tsx'
import { diffTexts } from './diff-texts.ts'
import { listConflictRows } from './list-conflict-rows.ts'
import { PatchRowView } from './patch-row.tsx'

interface ConflictViewProps {
  readonly projectId: string
  readonly path: string
  readonly baseRef: string
  readonly baseSha: string
  readonly headSha: string
}

const mostRows = 400

/** A file that both branches changed: as it is on the base branch, beside what the request makes of it. */
export function ConflictView({ projectId, path, baseRef, baseSha, headSha }: ConflictViewProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details
      className="rounded-lg border border-line bg-surface text-ink"
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary className="cursor-pointer px-3 py-2 font-mono text-xs break-all">{path}</summary>
      {isOpen && <Sides {...{ projectId, path, baseRef, baseSha, headSha }} />}
    </details>
  )
}

function Sides({ projectId, path, baseRef, baseSha, headSha }: ConflictViewProps) {
  const file = useConflictingFile(projectId, path, { baseSha, headSha })
  const rows = useMemo(
    () => (file.data ? listConflictRows(diffTexts(file.data.base ?? '', file.data.head ?? '')) : []),
    [file.data],
  )
  return (
    <QueryView query={file}>
      {({ base, head }) => (
        <div className="border-t border-line font-mono text-xs leading-5">
          <div className="grid grid-cols-2 divide-x divide-line border-b border-line bg-sunken font-sans">
            <span className="px-3 py-1 break-all">
              On {baseRef}
              {base === null && ': deleted'}
            </span>
            <span className="px-3 py-1">In this request{head === null && ': deleted'}</span>
          </div>
          {rows.slice(0, mostRows).map((pair, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows of one file have no other name and never move
            <PatchRowView key={index} row={{ kind: 'pair', pair }} />
          ))}
          {rows.length > mostRows && (
            <p className="border-t border-line px-3 py-2 font-sans text-ink-soft">
              {rows.length - mostRows} more lines differ or stand around; look at the branch itself.
            </p>
          )}
        </div>
      )}
    </QueryView>
  )
}
