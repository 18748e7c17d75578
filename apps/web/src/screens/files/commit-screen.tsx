import { useProjectCommit } from '@svc/sdk/react'
import { Link, useParams } from '@tanstack/react-router'
import { Page } from '../../ui/page.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { PatchView } from '../change-requests/patch-view.tsx'

/** One commit: who, when, why, and every line it changed. */
export function CommitScreen() {
  const { projectId, sha } = useParams({ from: '/projects/$projectId/history/$sha' })
  const { commit, diff } = useProjectCommit(projectId, sha)
  const record = commit.data
  return (
    <Page
      title={record?.subject ?? 'Commit'}
      intro={
        record && (
          <span className="flex flex-wrap gap-x-3">
            <span>
              {record.author_name}, <RelativeTime at={record.committed_at} />
            </span>
            <code className="font-mono text-xs break-all">{record.hash}</code>
          </span>
        )
      }
      actions={
        <Link
          to="/projects/$projectId/files"
          params={{ projectId }}
          search={{ ref: sha }}
          className="flex h-9 items-center rounded-md border border-line-strong bg-surface px-3 font-medium hover:bg-sunken"
        >
          Files at this commit
        </Link>
      }
    >
      <QueryView query={commit}>
        {({ body }) => body.trim() !== '' && <p className="whitespace-pre-wrap">{body}</p>}
      </QueryView>
      <QueryView query={diff}>{({ patch }) => <PatchView patch={patch} />}</QueryView>
    </Page>
  )
}
