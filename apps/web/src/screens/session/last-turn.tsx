import type { UseSession } from '@svc/sdk/react'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'

/** How the agent's last work ended, where the conversation itself does not tell. What was cut off is never resent by itself. */
export function LastTurn({ session }: { readonly session: UseSession }) {
  const { endReason, isBusy, hasPending, messages, questions, send } = session
  if (isBusy || hasPending || questions.length > 0) return null
  if (endReason === 'aborted' && !messages.at(-1)?.info.error) {
    return (
      <p role="status" className="text-ink-faint">
        Stopped.
      </p>
    )
  }
  if (endReason !== 'interrupted') return null
  return (
    <Notice tone="warn">
      <p>The agent was cut off before it finished. What it has done so far is kept.</p>
      <Button size="small" className="mt-2" onClick={() => send('Go on where you were cut off.')}>
        Continue
      </Button>
    </Notice>
  )
}
