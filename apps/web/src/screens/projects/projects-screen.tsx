import { useProjects } from '@svc/sdk/react'
import { Link } from '@tanstack/react-router'
import { useChosenAccount } from '../../shell/account-choice.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { LoadMore } from '../../ui/load-more.tsx'
import { Page } from '../../ui/page.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { CreateProject } from './create-project.tsx'

export function ProjectsScreen() {
  const { account } = useChosenAccount()
  const query = useProjects(account?.account_id)
  return (
    <Page title="Projects" actions={<CreateProject accountId={account?.account_id} />}>
      <QueryView query={query}>
        {(projects) =>
          projects.length === 0 ? (
            <EmptyState title="No projects yet">
              A project is a git repository with a manifest, <code className="font-mono">svc.yaml</code>. Agents work in
              it; what they do reaches the default branch through change requests.
            </EmptyState>
          ) : (
            <ul className="grid gap-3 sm:grid-cols-2">
              {projects.map((project) => (
                <li key={project.project_id}>
                  <Link
                    to="/projects/$projectId"
                    params={{ projectId: project.project_id }}
                    className="flex h-full flex-col gap-1 rounded-lg border border-line bg-surface p-4 hover:border-line-strong"
                  >
                    <span className="truncate font-medium">{project.name}</span>
                    <span className="text-ink-faint">
                      Changed <RelativeTime at={project.updated_at} />
                    </span>
                  </Link>
                </li>
              ))}
            </ul>
          )
        }
      </QueryView>
      <LoadMore query={query} />
    </Page>
  )
}
