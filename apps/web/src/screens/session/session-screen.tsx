import { useProjectSession, useSession } from '@svc/sdk/react'
import { useParams } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useMemo, useState } from 'react'
import { LinkOpener } from '../../markdown/link-opener.ts'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { ProblemNotice } from '../../ui/notice.tsx'
import { SessionState } from '../../ui/session-state.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { Asks } from './asks.tsx'
import { Composer } from './compose/composer.tsx'
import { LastTurn } from './last-turn.tsx'
import { openMachineLinks } from './open-machine-links.ts'
import type { PanelProps } from './panel/panel-props.ts'
import { SessionActions } from './session-actions.tsx'
import { SessionName } from './session-name.tsx'
import { StartState } from './start-state.tsx'
import { Transcript } from './transcript.tsx'
import { WorkState } from './work-state.tsx'

const SessionPanel = lazy(() =>
  import('./panel/session-panel.tsx').then((module) => ({ default: module.SessionPanel })),
)

export function SessionScreen() {
  const { projectId, sessionId } = useParams({ from: '/projects/$projectId/sessions/$sessionId' })
  // Another session is another screen: nothing that was typed or opened here belongs there.
  return <OpenSession key={sessionId} projectId={projectId} sessionId={sessionId} />
}

/** The panel once it was opened: closed it is only hidden, so that nothing typed into it is lost. */
type PanelState = 'never' | 'closed' | 'beside' | 'wide'

/** One session: what was said and done, live, and everything you can say to it. */
function OpenSession({ projectId, sessionId }: PanelProps) {
  const stored = useProjectSession(projectId, sessionId)
  const session = useSession(projectId, sessionId)
  const [panel, setPanel] = useState<PanelState>('never')
  const isPanelOpen = panel === 'beside' || panel === 'wide'
  const title = stored.data?.name ?? 'Untitled session'
  const openLink = useMemo(() => openMachineLinks(projectId, sessionId), [projectId, sessionId])
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
      <header className="flex flex-wrap items-center gap-x-3 gap-y-2 border-b border-line px-4 py-2 sm:px-8">
        <SessionName projectId={projectId} sessionId={sessionId} title={title} />
        <SessionState status={stored.data?.status ?? 'provisioning'} />
        <div className="flex flex-wrap gap-2">
          <SessionActions
            projectId={projectId}
            sessionId={sessionId}
            canPropose={session.phase === 'ready' && !session.isBusy}
          />
          <Button size="small" aria-expanded={isPanelOpen} onClick={() => setPanel(isPanelOpen ? 'closed' : 'beside')}>
            Details
          </Button>
        </div>
      </header>
      {stored.error && (
        <div className="p-4">
          <ProblemNotice error={stored.error} onRetry={() => stored.refetch()} />
        </div>
      )}
      <div className="flex min-h-0 flex-1">
        <div className={classNames('min-h-0 min-w-0 flex-1 flex-col', columnLook[panel])}>
          <LinkOpener value={openLink}>
            <Transcript session={session} />
            <div className="mx-auto flex max-h-[70%] w-full max-w-3xl shrink-0 flex-col gap-2 overflow-y-auto px-4 pt-1 pb-4">
              <StartState session={session} />
              <WorkState session={session} />
              <LastTurn session={session} />
              <Asks session={session} />
              <Composer projectId={projectId} sessionId={sessionId} session={session} />
            </div>
          </LinkOpener>
        </div>
        {panel !== 'never' && (
          <div className={isPanelOpen ? 'contents' : 'hidden'}>
            <Suspense fallback={<SkeletonRows />}>
              <SessionPanel
                projectId={projectId}
                sessionId={sessionId}
                isParked={stored.data?.status === 'stopped'}
                onWake={session.retry}
                isWide={panel === 'wide'}
                onWiden={() => setPanel(panel === 'wide' ? 'beside' : 'wide')}
                onClose={() => setPanel('closed')}
              />
            </Suspense>
          </div>
        )}
      </div>
    </div>
  )
}

/** Beside the panel on a large screen, behind it on a small one. */
const columnLook: Readonly<Record<PanelState, string>> = {
  never: 'flex',
  closed: 'flex',
  beside: 'hidden lg:flex',
  wide: 'hidden',
}
