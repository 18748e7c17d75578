import { useChangeRequests, useProject, useProjectConfig, useProjectSessions } from '@svc/sdk/react'
import { Link, useParams } from '@tanstack/react-router'
import { Badge } from '../../ui/badge.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { List, Row } from '../../ui/list.tsx'
import { ProblemNotice } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { Section } from '../../ui/section.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { SessionRows } from '../sessions/session-rows.tsx'
import { StartSession } from '../sessions/start-session.tsx'

const shownSessions = 5

/** Where work starts: say what should be done, see what is under way, what waits for a decision, and who works here. */
export function ProjectHome() {
  const { projectId } = useParams({ from: '/projects/$projectId' })
  const project = useProject(projectId)
  // All of it at once, so that nothing moves under the reader's hand.
  const parts = [useProjectConfig(projectId), useProjectSessions(projectId), useChangeRequests(projectId, 'open')]
  const isSettled = parts.every(({ isPending }) => !isPending)
  return (
    <Page title={project.data?.name ?? 'Project'}>
      <StartSession projectId={projectId} />
      {isSettled ? <HomeSections projectId={projectId} /> : <SkeletonRows rows={6} />}
    </Page>
  )
}

/** What is under way, what waits, and who works here. */
function HomeSections({ projectId }: { readonly projectId: string }) {
  const config = useProjectConfig(projectId)
  const sessions = useProjectSessions(projectId)
  return (
    <>
      <WaitingRequests projectId={projectId} />
      {sessions.data?.length !== 0 && (
        <Section title="Recent sessions">
          <QueryView query={sessions}>
            {(rows) => <SessionRows projectId={projectId} sessions={rows.slice(0, shownSessions)} />}
          </QueryView>
        </Section>
      )}
      <Section title="Agents">
        <QueryView query={config}>
          {({ agents, default_agent }) =>
            agents.length === 0 ? (
              <EmptyState title="No agents yet">
                Declare one under <code className="font-mono">agents</code> in the manifest.
              </EmptyState>
            ) : (
              <List label="Agents">
                {agents.map((agent) => (
                  <Row key={agent.name} title={agent.name} note={agent.description}>
                    {agent.name === default_agent && <Badge tone="accent">default</Badge>}
                    {agent.enabled === false && <Badge>off</Badge>}
                  </Row>
                ))}
              </List>
            )
          }
        </QueryView>
      </Section>
    </>
  )
}

/** Nothing where nothing waits. */
function WaitingRequests({ projectId }: { readonly projectId: string }) {
  const { data, error, refetch } = useChangeRequests(projectId, 'open')
  const requests = data?.change_requests ?? []
  if (error) return <ProblemNotice error={error} onRetry={() => void refetch()} />
  if (requests.length === 0) return null
  return (
    <Section title="Waiting for your decision">
      <List label="Open change requests">
        {requests.map((request) => (
          <Row
            key={request.cr_id}
            title={
              <Link
                to="/projects/$projectId/change-requests/$crId"
                params={{ projectId, crId: request.cr_id }}
                className="text-accent underline"
              >
                #{request.number} {request.title}
              </Link>
            }
          />
        ))}
      </List>
    </Section>
  )
}
