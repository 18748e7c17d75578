import { useChangeRequests, useProjectSession, useSessionCommit } from '@svc/sdk/react'
import { Link, useNavigate } from '@tanstack/react-router'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { showProblem, showToast } from '../../ui/toasts.tsx'

interface SessionActionsProps {
  readonly projectId: string
  readonly sessionId: string
  /** While the agent starts or works there is nothing whole to propose. */
  readonly canPropose: boolean
}

/** What can be done with a session as a whole: keep its work, propose it, park it, remove it. */
export function SessionActions({ projectId, sessionId, canPropose }: SessionActionsProps) {
  const { stop, restart, remove, data } = useProjectSession(projectId, sessionId)
  const commit = useSessionCommit(projectId, sessionId)
  const { open } = useChangeRequests(projectId)
  const navigate = useNavigate()
  const propose = async () => {
    try {
      await commit.mutateAsync({})
      const request = await open.mutateAsync({
        title: data?.name ?? 'Work of a session',
        head_ref: sessionId,
        session_id: sessionId,
      })
      await navigate({
        to: '/projects/$projectId/change-requests/$crId',
        params: { projectId, crId: request.cr_id },
      })
    } catch (error) {
      showProblem(error)
    }
  }
  const park = () =>
    stop.mutateAsync(undefined).then(() => showToast('Parked. It comes back when you write.'), showProblem)
  return (
    <div className="flex flex-wrap gap-2">
      <Button
        size="small"
        look="primary"
        disabled={!canPropose}
        isBusy={commit.isPending || open.isPending}
        onClick={propose}
      >
        Propose changes
      </Button>
      {data?.status === 'running' && (
        <Button size="small" isBusy={stop.isPending} onClick={park}>
          Park
        </Button>
      )}
      {data?.status === 'failed' && (
        <Button
          size="small"
          isBusy={restart.isPending}
          onClick={() => restart.mutateAsync(undefined).catch(showProblem)}
        >
          Restart
        </Button>
      )}
      <ConfirmDialog
        title="Remove this session?"
        description="Its machine and what was not committed are gone. Its branch stays."
        confirmLabel="Remove"
        trigger={<Button size="small">Remove</Button>}
        onConfirm={async () => {
          await remove.mutateAsync(undefined)
          await navigate({ to: '/projects/$projectId/sessions', params: { projectId } })
        }}
      />
      <Link
        to="/projects/$projectId/sessions"
        params={{ projectId }}
        className="hidden h-7 items-center rounded-md px-2 text-xs text-ink-soft hover:bg-sunken sm:flex"
      >
        All sessions
      </Link>
    </div>
  )
}
