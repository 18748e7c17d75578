import { useProjectConfig } from '@svc/sdk/react'
import { useParams } from '@tanstack/react-router'
import { Badge } from '../../ui/badge.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { List, Row } from '../../ui/list.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { Section } from '../../ui/section.tsx'

/** Who works here: agents, skills and commands, as the repository declares them. */
export function AgentsScreen() {
  const { projectId } = useParams({ from: '/projects/$projectId' })
  const config = useProjectConfig(projectId)
  return (
    <QueryView query={config}>
      {({ agents, skills, commands, default_agent }) => (
        <>
          <Section title="Agents">
            {agents.length === 0 ? (
              <EmptyState title="No agents yet">
                Declare one under <code className="font-mono">agents</code> in the manifest.
              </EmptyState>
            ) : (
              <List label="Agents">
                {agents.map((agent) => (
                  <Row key={agent.name} title={agent.name} note={agent.description}>
                    {agent.name === default_agent && <Badge tone="accent">default</Badge>}
                    {agent.mode && <Badge>{agent.mode}</Badge>}
                    {agent.enabled === false && <Badge tone="warn">off</Badge>}
                  </Row>
                ))}
              </List>
            )}
          </Section>
          <Named title="Skills" rows={skills} />
          <Named title="Commands" rows={commands} />
        </>
      )}
    </QueryView>
  )
}

interface NamedProps {
  readonly title: string
  readonly rows: readonly { readonly name: string; readonly path: string; readonly description: string | null }[]
}

function Named({ title, rows }: NamedProps) {
  if (rows.length === 0) return null
  return (
    <Section title={title}>
      <List label={title}>
        {rows.map(({ name, path, description }) => (
          <Row key={path} title={name} note={description ?? path} />
        ))}
      </List>
    </Section>
  )
}
