import { useProject } from '@svc/sdk/react'
import { Link, Outlet, useParams } from '@tanstack/react-router'
import { ProblemNotice } from '../../ui/notice.tsx'

/** The sections of a project. A capability that the server does not have has no entry here. */
const sections = [
  { to: '/projects/$projectId', label: 'Home', isExact: true },
  { to: '/projects/$projectId/sessions', label: 'Sessions', isExact: false },
  { to: '/projects/$projectId/change-requests', label: 'Change requests', isExact: false },
] as const

/** What all screens of one project share: its name and its sections. */
export function ProjectFrame() {
  const { projectId } = useParams({ from: '/projects/$projectId' })
  const { data: project, error, refetch } = useProject(projectId)
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <nav
        aria-label="Project"
        className="flex items-center gap-1 overflow-x-auto border-b border-line bg-surface px-4 sm:px-8"
      >
        <span className="mr-3 max-w-48 truncate font-medium">{project?.name ?? ' '}</span>
        {sections.map(({ to, label, isExact }) => (
          <Link
            key={to}
            to={to}
            params={{ projectId }}
            activeOptions={{ exact: isExact }}
            className="border-b-2 border-transparent px-3 py-2.5 whitespace-nowrap text-ink-soft hover:text-ink data-[status=active]:border-accent data-[status=active]:text-ink"
          >
            {label}
          </Link>
        ))}
      </nav>
      {error && (
        <div className="p-4 sm:px-8">
          <ProblemNotice error={error} onRetry={() => void refetch()} />
        </div>
      )}
      <Outlet />
    </div>
  )
}
