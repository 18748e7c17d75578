import type { UseSession } from '@svc/sdk/react'
import { RotateCw, X } from 'lucide-react'
import type { PromptDraft } from '../../../data/prompt-drafts.ts'
import { Button } from '../../../ui/button.tsx'
import { showProblem } from '../../../ui/toasts.tsx'
import { readParts } from './attachment.ts'

interface PromptQueueProps {
  readonly session: UseSession
  /** What was taken back, to be changed and sent again. */
  readonly onTakeBack: (taken: PromptDraft) => void
}

/** What was sent and has not been delivered: it can be taken back; what failed can be tried again. */
export function PromptQueue({ session, onTakeBack }: PromptQueueProps) {
  // The first prompt stands in the conversation already.
  const shown =
    session.messages.length === 0 ? session.pending.filter(({ state }) => state === 'failed') : session.pending
  if (shown.length === 0) return null
  return (
    <ul aria-label="Waiting prompts" className="flex flex-col gap-1">
      {shown.map(({ prompt_id: id, state, text, last_error: problem }) => (
        <li key={id} className="flex items-center gap-2 rounded bg-sunken py-1 pr-1 pl-3 text-ink-soft">
          <span className="min-w-0 flex-1">
            <span className="block truncate">
              <span className={state === 'failed' ? 'font-medium text-bad' : 'font-medium'}>
                {state === 'failed' ? 'Not sent: ' : 'Waiting: '}
              </span>
              {text}
            </span>
            {state === 'failed' && problem && <span className="block break-words text-bad">{problem}</span>}
          </span>
          {state === 'failed' && (
            <Button
              size="small"
              look="quiet"
              icon={<RotateCw className="size-3.5" aria-hidden />}
              onClick={() => void session.retryPrompt(id).catch(showProblem)}
            >
              Try again
            </Button>
          )}
          {state !== 'delivering' && (
            <Button
              size="small"
              look="quiet"
              aria-label="Take it back"
              onClick={() =>
                void session
                  .cancelPrompt(id)
                  .then((taken) => onTakeBack(readParts(taken.prompt?.parts ?? [])), showProblem)
              }
            >
              <X className="size-3.5" aria-hidden />
            </Button>
          )}
        </li>
      ))}
    </ul>
  )
}
