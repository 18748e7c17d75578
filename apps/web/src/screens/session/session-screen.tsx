import { useProjectSession, useSession } from '@svc/sdk/react'
import { useParams } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { ProblemNotice } from '../../ui/notice.tsx'
import { SessionState } from '../../ui/session-state.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { Asks } from './asks.tsx'
import { Composer } from './composer.tsx'
import { SessionActions } from './session-actions.tsx'
import { StartState } from './start-state.tsx'
import { Transcript } from './transcript.tsx'

const SessionPanel = lazy(() =>
  import('./panel/session-panel.tsx').then((module) => ({ default: module.SessionPanel })),
)

/** One session: what was said and done, live, and everything you can say to it. */
export function SessionScreen() {
  const { projectId, sessionId } = useParams({ from: '/projects/$projectId/sessions/$sessionId' })
  const stored = useProjectSession(projectId, sessionId)
  const session = useSession(projectId, sessionId)
  const [isPanelOpen, setPanelOpen] = useState(false)
  const title = stored.data?.name ?? 'Untitled session'
  const { refetch } = stored
  // biome-ignore lint/correctness/useExhaustiveDependencies: a session that got ready, or stopped, is stored anew
  useEffect(() => {
    void refetch()
  }, [refetch, session.phase, session.stage, session.isBusy])
  useEffect(() => {
    document.title = `${title} · svc`
  }, [title])
  return (
    <div data-fill className="flex min-h-0 flex-1 flex-col">
      <header className="flex flex-wrap items-center gap-3 border-b border-line px-4 py-2 sm:px-8">
        <h1 className="min-w-0 flex-1 truncate text-base font-semibold">{title}</h1>
        <SessionState status={stored.data?.status ?? 'provisioning'} />
        <SessionActions
          projectId={projectId}
          sessionId={sessionId}
          canPropose={session.phase === 'ready' && !session.isBusy}
        />
        <Button size="small" aria-expanded={isPanelOpen} onClick={() => setPanelOpen(!isPanelOpen)}>
          Details
        </Button>
      </header>
      {stored.error && (
        <div className="p-4">
          <ProblemNotice error={stored.error} onRetry={() => stored.refetch()} />
        </div>
      )}
      <div className="flex min-h-0 flex-1">
        <div className={classNames('min-h-0 min-w-0 flex-1 flex-col', isPanelOpen ? 'hidden lg:flex' : 'flex')}>
          <Transcript session={session} />
          <div className="mx-auto flex max-h-[70%] w-full max-w-3xl shrink-0 flex-col gap-2 overflow-y-auto px-4 pt-1 pb-4">
            <StartState session={session} />
            <Asks session={session} />
            <Composer session={session} />
          </div>
        </div>
        {isPanelOpen && (
          <Suspense fallback={<SkeletonRows />}>
            <SessionPanel projectId={projectId} sessionId={sessionId} onClose={() => setPanelOpen(false)} />
          </Suspense>
        )}
      </div>
    </div>
  )
}
