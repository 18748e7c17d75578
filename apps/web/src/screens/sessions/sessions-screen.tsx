import { useProjectSessions } from '@svc/sdk/react'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { EmptyState } from '../../ui/empty-state.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { Page } from '../../ui/page.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { SessionState } from '../../ui/session-state.tsx'
import { StartSession } from './start-session.tsx'

type StateFilter = 'all' | 'running' | 'stopped' | 'failed'

/** Every session of the project that you may open, newest first. */
export function SessionsScreen() {
  const { projectId } = useParams({ from: '/projects/$projectId' })
  const query = useProjectSessions(projectId)
  const [text, setText] = useState('')
  const [state, setState] = useState<StateFilter>('all')
  const shows = (session: { name: string | null; agent_name: string; status: string }) =>
    (state === 'all' || session.status === state) &&
    `${session.name ?? ''} ${session.agent_name}`.toLowerCase().includes(text.trim().toLowerCase())
  return (
    <Page title="Sessions">
      <StartSession projectId={projectId} />
      <div className="flex flex-wrap gap-3">
        <div className="min-w-48 flex-1">
          <TextField label="Search" type="search" value={text} onChange={(event) => setText(event.target.value)} />
        </div>
        <SelectField label="State" value={state} onChange={(event) => setState(event.target.value as StateFilter)}>
          <option value="all">All</option>
          <option value="running">Running</option>
          <option value="stopped">Parked</option>
          <option value="failed">Failed</option>
        </SelectField>
      </div>
      <QueryView query={query}>
        {(sessions) => {
          if (sessions.length === 0) {
            return (
              <EmptyState title="No sessions yet">
                Write above what you would like done; an agent takes it from there.
              </EmptyState>
            )
          }
          const shown = sessions.filter(shows)
          if (shown.length === 0)
            return <EmptyState title="Nothing matches">Change the search or the state.</EmptyState>
          return (
            <ul className="divide-y divide-line rounded-lg border border-line bg-surface">
              {shown.map((session) => (
                <li key={session.session_id}>
                  <Link
                    to="/projects/$projectId/sessions/$sessionId"
                    params={{ projectId, sessionId: session.session_id }}
                    className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-3 hover:bg-sunken"
                  >
                    <span className="min-w-0 flex-1 truncate font-medium">{session.name ?? 'Untitled session'}</span>
                    <span className="text-ink-soft">{session.agent_name}</span>
                    <SessionState status={session.status} />
                    <span className="w-28 text-right text-ink-faint">
                      <RelativeTime at={session.updated_at} />
                    </span>
                  </Link>
                </li>
              ))}
            </ul>
          )
        }}
      </QueryView>
    </Page>
  )
}
