import type { UseSession } from '@svc/sdk/react'
import { ProblemNotice } from '../../ui/notice.tsx'

const steps: Readonly<Record<string, string>> = {
  provisioning: 'A machine is being made for this session…',
  starting: 'The agent is starting…',
}

/** Where a session is on its way to answering; nothing once it answers. */
export function StartState({ session }: { readonly session: UseSession }) {
  if (session.phase === 'ready') return null
  if (session.phase === 'error') {
    const error = session.startError ?? new Error(session.failure?.message ?? 'The session does not answer.')
    return <ProblemNotice error={error} onRetry={session.retry} />
  }
  return (
    <p role="status" className="flex items-center gap-2 text-ink-soft">
      <span className="size-2 animate-pulse rounded-full bg-warn" aria-hidden />
      {steps[session.stage ?? ''] ?? 'Connecting…'}
    </p>
  )
}
