import { useProject } from '@svc/sdk/react'
import { Link, Outlet, useParams } from '@tanstack/react-router'
import { projectSections } from '../../shell/sections.ts'
import { ProblemNotice } from '../../ui/notice.tsx'
import { SectionTabs, tabLook } from '../../ui/section-tabs.tsx'

/** What all screens of one project share: its name and its sections. */
export function ProjectFrame() {
  const { projectId } = useParams({ from: '/projects/$projectId' })
  const { data: project, error, refetch } = useProject(projectId)
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <SectionTabs label="Project" name={project?.name ?? ' '}>
        {projectSections.map(({ to, label, isExact }) => (
          <Link key={to} to={to} params={{ projectId }} activeOptions={{ exact: isExact }} className={tabLook}>
            {label}
          </Link>
        ))}
      </SectionTabs>
      {error && (
        <div className="p-4 sm:px-8">
          <ProblemNotice error={error} onRetry={() => void refetch()} />
        </div>
      )}
      <Outlet />
    </div>
  )
}
