import { useConflictingFile } from '@svc/sdk/react'
import { type ReactNode, useMemo, useState } from 'react'
import { QueryView } from '../../ui/query-view.tsx'
import { diffTexts } from './diff-texts.ts'
import { listChangedLines, listConflictRows } from './list-conflict-rows.ts'
import { PatchRowView } from './patch-row.tsx'
import type { PatchRow } from './patch-rows.ts'

interface ConflictViewProps {
  readonly projectId: string
  readonly path: string
  readonly baseRef: string
  readonly baseSha: string
  readonly headSha: string
  /** Where the branches parted; null when they have nothing in common. */
  readonly mergeBase: string | null
}

const mostRows = 400

/** A file that both branches changed: what each made of it since they parted. */
export function ConflictView(props: ConflictViewProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details
      className="rounded-lg border border-line bg-surface text-ink"
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary className="cursor-pointer px-3 py-2 font-mono text-xs break-all">{props.path}</summary>
      {isOpen && <Versions {...props} />}
    </details>
  )
}

function Versions({ projectId, path, baseRef, baseSha, headSha, mergeBase }: ConflictViewProps) {
  const file = useConflictingFile(projectId, path, { baseSha, headSha, mergeBase })
  return (
    <QueryView query={file}>
      {({ base, head, ancestor }) =>
        mergeBase === null ? (
          <Beside baseRef={baseRef} base={base} head={head} />
        ) : (
          <div className="grid divide-y divide-line border-t border-line lg:grid-cols-2 lg:divide-x lg:divide-y-0">
            <Side title={`What ${baseRef} changed`} before={ancestor} after={base} />
            <Side title="What this request changed" before={ancestor} after={head} />
          </div>
        )
      }
    </QueryView>
  )
}

interface SideProps {
  readonly title: string
  readonly before: string | null
  readonly after: string | null
}

/** One side: from the version that both began with to its own. */
function Side({ title, before, after }: SideProps) {
  const rows = useMemo(
    () => listChangedLines(diffTexts(before ?? '', after ?? '')).map((line): PatchRow => ({ kind: 'line', line })),
    [before, after],
  )
  return (
    <section aria-label={title} className="min-w-0">
      <Heading>
        {title}
        {after === null && ': it deleted the file'}
        {before === null && after !== null && ': it added the file'}
      </Heading>
      <Rows rows={rows} />
    </section>
  )
}

interface BesideProps {
  readonly baseRef: string
  readonly base: string | null
  readonly head: string | null
}

/** Without a version that both began with, only the two as they are now can be compared. */
function Beside({ baseRef, base, head }: BesideProps) {
  const rows = useMemo(
    () => listConflictRows(diffTexts(base ?? '', head ?? '')).map((pair): PatchRow => ({ kind: 'pair', pair })),
    [base, head],
  )
  return (
    <div className="border-t border-line">
      <p className="px-3 py-2 text-ink-soft">
        The branches have no commit in common, so who changed what cannot be told. These are the two versions as they
        are.
      </p>
      <div className="grid grid-cols-2 divide-x divide-line">
        <Heading>
          On {baseRef}
          {base === null && ': deleted'}
        </Heading>
        <Heading>In this request{head === null && ': deleted'}</Heading>
      </div>
      <Rows rows={rows} />
    </div>
  )
}

function Heading({ children }: { readonly children: ReactNode }) {
  return <h3 className="border-b border-line bg-sunken px-3 py-1 break-all">{children}</h3>
}

function Rows({ rows }: { readonly rows: readonly PatchRow[] }) {
  return (
    <div className="font-mono text-xs leading-5">
      {rows.slice(0, mostRows).map((row, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows of one file have no other name and never move
        <PatchRowView key={index} row={row} />
      ))}
      {rows.length > mostRows && (
        <p className="border-t border-line px-3 py-2 font-sans text-ink-soft">
          {rows.length - mostRows} more lines differ or stand around; look at the branch itself.
        </p>
      )}
    </div>
  )
}
