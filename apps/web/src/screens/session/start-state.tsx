import type { UseSession } from '@svc/sdk/react'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'

const steps: Readonly<Record<string, string>> = {
  provisioning: 'A machine is being made for this session…',
  starting: 'The agent is starting…',
}

/** Where a session is on its way to answering; nothing once it answers. */
export function StartState({ session }: { readonly session: UseSession }) {
  if (session.phase === 'ready') return null
  if (session.phase === 'error') {
    const sentence = session.failure?.message ?? session.startError?.message ?? 'The session does not answer.'
    return (
      <Notice tone="bad">
        <p>{sentence}</p>
        <Button size="small" className="mt-2" onClick={session.retry}>
          Try again
        </Button>
      </Notice>
    )
  }
  return (
    <p role="status" className="flex items-center gap-2 text-ink-soft">
      <span className="size-2 animate-pulse rounded-full bg-warn" aria-hidden />
      {steps[session.stage ?? ''] ?? 'Connecting…'}
    </p>
  )
}
