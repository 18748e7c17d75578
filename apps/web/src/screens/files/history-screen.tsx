import { useProjectCommits } from '@svc/sdk/react'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { EmptyState } from '../../ui/empty-state.tsx'
import { LoadMore } from '../../ui/load-more.tsx'
import { Page } from '../../ui/page.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { RefPicker } from './ref-picker.tsx'

const pageSize = 30

/** The commits of a branch, or of one file on it. */
export function HistoryScreen() {
  const { projectId } = useParams({ from: '/projects/$projectId' })
  const { ref, path } = useSearch({ from: '/projects/$projectId/history' })
  const navigate = useNavigate()
  const commits = useProjectCommits(projectId, { ref, path, limit: pageSize })
  const pickRef = (next: string) =>
    void navigate({ to: '/projects/$projectId/history', params: { projectId }, search: { ref: next, path } })
  return (
    <Page title="History" intro={path === undefined ? 'Every commit, newest first.' : `Commits that changed ${path}.`}>
      <RefPicker projectId={projectId} value={ref} onPick={pickRef} />
      <QueryView query={commits}>
        {({ commits: found }) => (
          <>
            {found.length === 0 && <EmptyState title="No commits">Nothing was committed here yet.</EmptyState>}
            {found.length > 0 && (
              <ul className="divide-y divide-line rounded-lg border border-line bg-surface">
                {found.map((commit) => (
                  <li key={commit.hash}>
                    <Link
                      to="/projects/$projectId/history/$sha"
                      params={{ projectId, sha: commit.hash }}
                      className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-3 hover:bg-sunken"
                    >
                      <span className="min-w-0 flex-1 basis-48 truncate font-medium">{commit.subject}</span>
                      <span className="text-ink-soft">{commit.author_name}</span>
                      <code className="font-mono text-xs text-ink-faint">{commit.short_hash}</code>
                      <span className="text-ink-faint">
                        <RelativeTime at={commit.committed_at} />
                      </span>
                    </Link>
                  </li>
                ))}
              </ul>
            )}
            <LoadMore query={commits} label="Earlier commits" />
          </>
        )}
      </QueryView>
    </Page>
  )
}
