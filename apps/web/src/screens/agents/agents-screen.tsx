import { useProject, useProjectConfig } from '@svc/sdk/react'
import { useParams } from '@tanstack/react-router'
import { Badge } from '../../ui/badge.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { List, Row } from '../../ui/list.tsx'
import { Page } from '../../ui/page.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { Section } from '../../ui/section.tsx'
import { ManifestEditor } from './manifest-editor.tsx'

/** Who works here: agents, skills and commands, as the repository declares them, and the manifest that does. */
export function AgentsScreen() {
  const { projectId } = useParams({ from: '/projects/$projectId' })
  const config = useProjectConfig(projectId)
  const project = useProject(projectId)
  return (
    <Page title="Agents" intro="Declared in the repository; a change to it is a change request like any other.">
      <QueryView query={config}>
        {({ agents, skills, commands, default_agent, manifest_raw }) => (
          <>
            <Section title="Agents">
              {agents.length === 0 ? (
                <EmptyState title="No agents yet">
                  Declare one under <code className="font-mono">agents</code> in the manifest below.
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
            <Section title="Manifest" intro="Checked as you type.">
              {manifest_raw === null ? (
                <EmptyState title="No manifest">
                  Add <code className="font-mono">{project.data?.manifest_path ?? 'svc.yaml'}</code> to the repository.
                </EmptyState>
              ) : (
                <ManifestEditor
                  key={manifest_raw}
                  projectId={projectId}
                  path={project.data?.manifest_path ?? 'svc.yaml'}
                  initial={manifest_raw}
                />
              )}
            </Section>
          </>
        )}
      </QueryView>
    </Page>
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
