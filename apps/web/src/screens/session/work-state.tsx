import type { UseSession } from '@svc/sdk/react'
import { LoaderCircle } from 'lucide-react'
import type { ReactNode } from 'react'

/** What the agent does right now; nothing while it waits for you. */
export function WorkState({ session }: { readonly session: UseSession }) {
  const { status, isBusy, isCompacting, questions, permissions } = session
  if (session.runtimePhase === 'unreachable' && session.phase === 'ready') {
    return <Line>The connection is lost and is being made again…</Line>
  }
  if (!isBusy || questions.length > 0 || permissions.length > 0) return null
  if (status.type === 'retry') {
    const why = typeof status.message === 'string' ? status.message : 'The model did not answer'
    return (
      <Line>
        Trying again, attempt {String(status.attempt)}: {why}
      </Line>
    )
  }
  return <Line>{isCompacting ? 'Summarising what was said before…' : 'Working…'}</Line>
}

function Line({ children }: { readonly children: ReactNode }) {
  return (
    <p role="status" className="flex items-center gap-2 text-ink-soft">
      <LoaderCircle className="size-4 shrink-0 animate-spin text-ink-faint" aria-hidden />
      <span className="min-w-0 break-words">{children}</span>
    </p>
  )
}
