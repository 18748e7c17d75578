import { useProjectSessions } from '@svc/sdk/react'
import { useParams } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { LoadMore } from '../../ui/load-more.tsx'
import { Page } from '../../ui/page.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { isInState, isStateFilter, matchesText, type StateFilter, stateFilters } from './filter-sessions.ts'
import { SessionRows } from './session-rows.tsx'
import { StartSession } from './start-session.tsx'

const lookAgainMs = 5_000
const pageRows = 100

/** Every session of the project that you may open, last used first. */
export function SessionsScreen() {
  const { projectId } = useParams({ from: '/projects/$projectId' })
  const query = useProjectSessions(projectId)
  const [text, setText] = useState('')
  const [state, setState] = useState<StateFilter>('all')
  const [shownRows, setShownRows] = useState(pageRows)
  useLookingAgain(query.refetch)
  const waiting = query.data?.filter((session) => isInState(session, 'waiting')).length ?? 0
  const pick = (next: string) => {
    if (isStateFilter(next)) setState(next)
    setShownRows(pageRows)
  }
  return (
    <Page title="Sessions">
      <StartSession projectId={projectId} />
      <div className="flex flex-wrap items-start gap-3">
        <div className="min-w-48 flex-1">
          <TextField label="Search" type="search" value={text} onChange={(event) => setText(event.target.value)} />
        </div>
        <SelectField label="State" value={state} onChange={(event) => pick(event.target.value)}>
          {Object.entries(stateFilters).map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </SelectField>
      </div>
      {waiting > 0 && state !== 'waiting' && (
        <div className="-mt-4 flex flex-wrap items-center gap-3 rounded-md border border-warn/40 bg-warn-soft p-3 text-warn">
          <p className="flex-1 font-medium" role="status">
            {waiting === 1 ? 'One session needs your answer.' : `${waiting} sessions need your answer.`}
          </p>
          <Button size="small" onClick={() => pick('waiting')}>
            Show {waiting === 1 ? 'it' : 'them'}
          </Button>
        </div>
      )}
      <QueryView query={query}>
        {(sessions) => {
          if (sessions.length === 0) {
            return (
              <EmptyState title="No sessions yet">
                Write above what you would like done; an agent takes it from there.
              </EmptyState>
            )
          }
          const found = sessions.filter((session) => isInState(session, state) && matchesText(session, text))
          if (found.length === 0) {
            return (
              <EmptyState
                title={state === 'waiting' && text === '' ? 'Nobody waits for you' : 'Nothing matches'}
                action={
                  <Button
                    onClick={() => {
                      setText('')
                      pick('all')
                    }}
                  >
                    Show all
                  </Button>
                }
              >
                {state === 'waiting' && text === ''
                  ? 'No session has a question or asks for permission.'
                  : 'Change the search or the state.'}
              </EmptyState>
            )
          }
          return (
            <>
              <SessionRows projectId={projectId} sessions={found.slice(0, shownRows)} />
              {found.length > shownRows && (
                <div className="flex items-center justify-center gap-3 text-ink-soft">
                  {shownRows} of {found.length}
                  <Button size="small" onClick={() => setShownRows(shownRows + pageRows)}>
                    Show more
                  </Button>
                </div>
              )}
            </>
          )
        }}
      </QueryView>
      {shownRows >= (query.data?.length ?? 0) && <LoadMore query={query} />}
    </Page>
  )
}

/** Sessions change by themselves: while somebody looks, they are read again every few seconds. */
function useLookingAgain(refetch: (options: { readonly cancelRefetch: boolean }) => unknown): void {
  useEffect(() => {
    // One that is under way is waited for: on a slow line each would end the one before it.
    const look = () => document.visibilityState === 'visible' && void refetch({ cancelRefetch: false })
    const timer = setInterval(look, lookAgainMs)
    return () => clearInterval(timer)
  }, [refetch])
}
