import { useProjectSessions } from '@svc/sdk/react'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { EmptyState } from '../../ui/empty-state.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { Page } from '../../ui/page.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { SessionRows } from './session-rows.tsx'
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
          return <SessionRows projectId={projectId} sessions={shown} />
        }}
      </QueryView>
    </Page>
  )
}
