import { useVirtualizer } from '@tanstack/react-virtual'
import { useMemo, useRef } from 'react'

const rowPx = 20

/** Text with line numbers. Only the lines on the screen are in the page, however long the file is. */
export function SourceLines({ text, label }: { readonly text: string; readonly label: string }) {
  const lines = useMemo(() => text.replace(/\n$/, '').split('\n'), [text])
  const scroller = useRef<HTMLElement>(null)
  const rows = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowPx,
    overscan: 20,
  })
  return (
    <section
      ref={scroller}
      aria-label={`Lines of ${label}`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll it
      tabIndex={0}
      className="max-h-[70vh] overflow-auto rounded-lg border border-line bg-surface py-2"
    >
      <div className="relative min-w-fit font-mono text-xs" style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ key, index, start }) => (
          <div
            key={key}
            className="absolute inset-x-0 flex h-5 items-center whitespace-pre"
            style={{ transform: `translateY(${start}px)` }}
          >
            <span aria-hidden className="w-12 shrink-0 pr-3 text-right text-ink-faint select-none">
              {index + 1}
            </span>
            <span className="pr-4">{lines[index]}</span>
          </div>
        ))}
      </div>
    </section>
  )
}
