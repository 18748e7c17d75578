import { type UseSession, useChatTurns } from '@svc/sdk/react'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef } from 'react'
import { Button } from '../../ui/button.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { MessageView } from './message-view.tsx'

/** How far from the end counts as reading the end. */
const nearPx = 120

/** The conversation. Only what is on the screen is in the page, however long the session is. */
export function Transcript({ session }: { readonly session: UseSession }) {
  const turns = useChatTurns(session.messages)
  const shown = turns.filter(({ isEmpty, error }) => !isEmpty || error)
  const scroller = useRef<HTMLElement>(null)
  const isAtEnd = useRef(true)
  const rows = useVirtualizer({
    count: shown.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 120,
    overscan: 6,
    getItemKey: (index) => String(shown[index]?.message.info.id ?? index),
  })
  const size = rows.getTotalSize()
  // biome-ignore lint/correctness/useExhaustiveDependencies: a longer conversation is the reason to move
  useEffect(() => {
    const element = scroller.current
    if (element && isAtEnd.current) element.scrollTop = element.scrollHeight
  }, [size, shown.length])
  const noteScroll = () => {
    const element = scroller.current
    if (element) isAtEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < nearPx
  }
  return (
    <section
      ref={scroller}
      onScroll={noteScroll}
      aria-label="Conversation"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll it
      tabIndex={0}
      className="min-h-0 flex-1 overflow-y-auto"
    >
      <div className="mx-auto w-full max-w-3xl px-4 py-4">
        {session.hasOlder && (
          <div className="mb-4 text-center">
            <Button size="small" isBusy={session.isLoadingOlder} onClick={() => void session.loadOlder()}>
              Earlier messages
            </Button>
          </div>
        )}
        {shown.length === 0 && session.pending.length > 0 && <FirstPrompts prompts={session.pending} />}
        {session.isLoading && session.pending.length === 0 && <SkeletonRows rows={3} height="h-20" />}
        {!session.isLoading && shown.length === 0 && !session.hasPending && session.phase === 'ready' && (
          <p className="py-12 text-center text-ink-faint">Nothing was said yet.</p>
        )}
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
