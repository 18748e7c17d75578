import { useProjectSession, useSession } from '@svc/sdk/react'
import { useParams } from '@tanstack/react-router'
import { useEffect } from 'react'
import { ProblemNotice } from '../../ui/notice.tsx'
import { SessionState } from '../../ui/session-state.tsx'
import { Asks } from './asks.tsx'
import { Composer } from './composer.tsx'
import { SessionActions } from './session-actions.tsx'
import { StartState } from './start-state.tsx'
import { Transcript } from './transcript.tsx'

/** One session: what was said and done, live, and everything you can say to it. */
export function SessionScreen() {
  const { projectId, sessionId } = useParams({ from: '/projects/$projectId/sessions/$sessionId' })
  const stored = useProjectSession(projectId, sessionId)
  const session = useSession(projectId, sessionId)
  const title = stored.data?.name ?? 'Untitled session'
  useEffect(() => {
    document.title = `${title} · svc`
  }, [title])
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <header className="flex flex-wrap items-center gap-3 border-b border-line px-4 py-2 sm:px-8">
        <h1 className="min-w-0 flex-1 truncate text-base font-semibold">{title}</h1>
        <SessionState status={stored.data?.status ?? 'provisioning'} />
        <SessionActions projectId={projectId} sessionId={sessionId} isBusy={session.isBusy} onStop={session.cancel} />
      </header>
      {stored.error && (
        <div className="p-4">
          <ProblemNotice error={stored.error} onRetry={() => stored.refetch()} />
        </div>
      )}
      <Transcript session={session} />
      <div className="sticky bottom-0 mx-auto flex w-full max-w-3xl flex-col gap-2 bg-canvas px-4 pb-4">
        <StartState session={session} />
        <Asks session={session} />
        <Composer session={session} />
      </div>
    </div>
  )
}
