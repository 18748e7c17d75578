import { useProject } from '@svc/sdk/react'
import { Link, Outlet, useParams } from '@tanstack/react-router'
import { QueryView } from '../../ui/query-view.tsx'

/** What all screens of one project share: its name and its sections. */
export function ProjectFrame() {
  const { projectId } = useParams({ from: '/projects/$projectId' })
  const query = useProject(projectId)
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <nav aria-label="Project" className="flex gap-1 overflow-x-auto border-b border-line bg-surface px-4 sm:px-8">
        <Section to="/projects/$projectId" projectId={projectId} label={query.data?.name ?? 'Project'} />
      </nav>
      <div className="p-4 empty:hidden sm:px-8">{query.error && <QueryView query={query}>{() => null}</QueryView>}</div>
      <Outlet />
    </div>
  )
}

function Section({
  to,
  projectId,
  label,
}: {
  readonly to: '/projects/$projectId'
  readonly projectId: string
  readonly label: string
}) {
  return (
    <Link
      to={to}
      params={{ projectId }}
      activeOptions={{ exact: true }}
      className="max-w-48 truncate border-b-2 border-transparent px-3 py-2.5 text-ink-soft hover:text-ink data-[status=active]:border-accent data-[status=active]:font-medium data-[status=active]:text-ink"
    >
      {label}
    </Link>
  )
}
