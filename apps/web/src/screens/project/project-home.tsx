import { useProject, useProjectConfig } from '@svc/sdk/react'
import { useParams } from '@tanstack/react-router'
import { Badge } from '../../ui/badge.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Page } from '../../ui/page.tsx'
import { QueryView } from '../../ui/query-view.tsx'

export function ProjectHome() {
  const { projectId } = useParams({ from: '/projects/$projectId' })
  const project = useProject(projectId)
  const config = useProjectConfig(projectId)
  return (
    <Page title={project.data?.name ?? 'Project'}>
      <section aria-labelledby="agents" className="flex flex-col gap-3">
        <h2 id="agents" className="text-base font-semibold">
          Agents
        </h2>
        <QueryView query={config}>
          {({ agents }) =>
            agents.length === 0 ? (
              <EmptyState title="No agents yet">
                Declare one under <code className="font-mono">agents</code> in the manifest.
              </EmptyState>
            ) : (
              <ul className="divide-y divide-line rounded-lg border border-line bg-surface">
                {agents.map((agent) => (
                  <li key={agent.name} className="flex items-center gap-3 px-4 py-3">
                    <span className="font-medium">{agent.name}</span>
                    <span className="min-w-0 flex-1 truncate text-ink-soft">{agent.description}</span>
                    {agent.enabled === false && <Badge>off</Badge>}
                  </li>
                ))}
              </ul>
            )
          }
        </QueryView>
      </section>
    </Page>
  )
}
