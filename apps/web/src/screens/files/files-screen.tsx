import { useProjectFiles } from '@svc/sdk/react'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { File, Folder } from 'lucide-react'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Page } from '../../ui/page.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { FileView } from './file-view.tsx'
import { type Entry, listFolder, listSteps } from './list-folder.ts'
import { RefPicker } from './ref-picker.tsx'

/** The repository at any branch or commit: folders, files, and the way to their history. */
export function FilesScreen() {
  const { projectId } = useParams({ from: '/projects/$projectId' })
  const { ref, path = '', file } = useSearch({ from: '/projects/$projectId/files' })
  const navigate = useNavigate()
  const pickRef = (next: string) =>
    void navigate({ to: '/projects/$projectId/files', params: { projectId }, search: { ref: next } })
  return (
    <Page
      title="Files"
      intro={<Steps projectId={projectId} gitRef={ref} path={file ?? path} />}
      actions={
        <Link
          to="/projects/$projectId/history"
          params={{ projectId }}
          search={{ ref, path: file ?? (path === '' ? undefined : path) }}
          className="flex h-9 items-center rounded-md border border-line-strong bg-surface px-3 font-medium hover:bg-sunken"
        >
          History
        </Link>
      }
    >
      <RefPicker projectId={projectId} value={ref} onPick={pickRef} />
      {file === undefined ? (
        <FolderView projectId={projectId} gitRef={ref} folder={path} />
      ) : (
        <FileView projectId={projectId} gitRef={ref} path={file} />
      )}
    </Page>
  )
}

interface Place {
  readonly projectId: string
  readonly gitRef: string | undefined
}

function FolderView({ projectId, gitRef, folder }: Place & { readonly folder: string }) {
  const files = useProjectFiles(projectId, { ref: gitRef, path: folder === '' ? undefined : folder })
  return (
    <QueryView query={files}>
      {(found) => {
        const entries = listFolder(found, folder)
        if (entries.length === 0) return <EmptyState title="Nothing is here">This folder has no files.</EmptyState>
        return (
          <ul className="divide-y divide-line rounded-lg border border-line bg-surface">
            {entries.map((entry) => (
              <EntryRow key={entry.path} projectId={projectId} gitRef={gitRef} entry={entry} />
            ))}
          </ul>
        )
      }}
    </QueryView>
  )
}

function EntryRow({ projectId, gitRef, entry }: Place & { readonly entry: Entry }) {
  const Icon = entry.isFolder ? Folder : File
  return (
    <li>
      <Link
        to="/projects/$projectId/files"
        params={{ projectId }}
        search={{ ref: gitRef, ...(entry.isFolder ? { path: entry.path } : { file: entry.path }) }}
        className="flex items-center gap-3 px-4 py-2 hover:bg-sunken"
      >
        <Icon className="size-4 shrink-0 text-ink-faint" aria-label={entry.isFolder ? 'Folder' : 'File'} />
        <span className="min-w-0 flex-1 truncate">{entry.name}</span>
        {entry.sizeBytes !== null && <span className="text-xs text-ink-faint">{describeSize(entry.sizeBytes)}</span>}
      </Link>
    </li>
  )
}

function describeSize(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`
  if (bytes < 1_000_000) return `${(bytes / 1_000).toFixed(1)} kB`
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}

function Steps({ projectId, gitRef, path }: Place & { readonly path: string }) {
  const steps = [{ name: 'Repository', path: '' }, ...listSteps(path)]
  const last = steps.length - 1
  return (
    <nav aria-label="Path" className="flex flex-wrap gap-1">
      {steps.map((step, index) =>
        index === last ? (
          <span key={step.path} aria-current="page" className="break-all">
            {step.name}
          </span>
        ) : (
          <span key={step.path} className="flex gap-1">
            <Link
              to="/projects/$projectId/files"
              params={{ projectId }}
              search={{ ref: gitRef, path: step.path === '' ? undefined : step.path }}
              className="text-accent underline"
            >
              {step.name}
            </Link>
            <span aria-hidden>/</span>
          </span>
        ),
      )}
    </nav>
  )
}
