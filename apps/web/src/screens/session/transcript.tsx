import { type UseSession, useChatTurns } from '@svc/sdk/react'
import { ArrowDown } from 'lucide-react'
import { useMemo } from 'react'
import { Button } from '../../ui/button.tsx'
import { ProblemNotice } from '../../ui/notice.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { MessageView } from './message-view.tsx'
import { useTranscriptRows } from './use-transcript-rows.ts'

/** The conversation. Only what is on the screen is in the page, however long the session is. */
export function Transcript({ session }: { readonly session: UseSession }) {
  const turns = useChatTurns(session.messages)
  const shown = useMemo(() => turns.filter(({ isEmpty, error }) => !isEmpty || error), [turns])
  const keys = useMemo(() => shown.map(({ message }) => String(message.info.id)), [shown])
  const { hasOlder, isLoadingOlder, loadOlder } = session
  const view = useTranscriptRows({ keys, hasOlder, isLoadingOlder, loadOlder })
  const { rows, size } = view
  const isQuiet = !session.isLoading && !session.hasPending && !session.isBusy && session.phase === 'ready'
  return (
    <div className="relative flex min-h-0 flex-1">
      <section
        ref={view.scroller}
        onScroll={view.noteScroll}
        aria-label="Conversation"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll it
        tabIndex={0}
        // The browser's own anchoring and ours would move it twice.
        className="min-h-0 flex-1 overflow-y-auto [overflow-anchor:none]"
      >
        <div className="mx-auto w-full max-w-3xl px-4 py-4">
          {view.problem !== undefined && <ProblemNotice error={view.problem} onRetry={view.loadAgain} />}
          {hasOlder && view.problem === undefined && (
            <p className="flex h-8 items-start justify-center text-ink-faint">
              <Button size="small" isBusy={isLoadingOlder} onClick={view.loadAgain}>
                Earlier messages
              </Button>
            </p>
          )}
          {shown.length === 0 && session.pending.length > 0 && <FirstPrompts prompts={session.pending} />}
          {session.isLoading && session.pending.length === 0 && <SkeletonRows rows={3} height="h-20" />}
          {shown.length === 0 && isQuiet && <p className="py-12 text-center text-ink-faint">Nothing was said yet.</p>}
          <div className="relative w-full" style={{ height: size }}>
            {rows.getVirtualItems().map((row) => {
              const turn = shown[row.index]
              return (
                <div
                  key={row.key}
                  ref={rows.measureElement}
                  data-index={row.index}
                  className="absolute inset-x-0 top-0 pb-5"
                  style={{ transform: `translateY(${row.start}px)` }}
                >
                  {turn && <MessageView turn={turn} />}
                </div>
              )
            })}
          </div>
        </div>
      </section>
      {!view.isAtEnd && (
        <Button
          size="small"
          className="absolute bottom-3 left-1/2 -translate-x-1/2 shadow-md"
          icon={<ArrowDown className="size-3.5" aria-hidden />}
          onClick={view.goToEnd}
        >
          To the end
        </Button>
      )}
    </div>
  )
}

/** What was asked for, at once, while the machine is still being made. */
function FirstPrompts({ prompts }: { readonly prompts: UseSession['pending'] }) {
  return prompts.map(({ prompt_id, text }) => (
    <article key={prompt_id} className="mb-5 ml-auto w-fit max-w-[85%] rounded-lg bg-accent-soft px-4 py-2.5">
      <p className="break-words whitespace-pre-wrap">{text}</p>
    </article>
  ))
}
