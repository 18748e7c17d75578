import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'

/** How far from the end counts as reading the end. */
const nearPx = 120
/** So many rows before the first one, earlier messages are asked for. */
const earlyRows = 4

interface TranscriptRows {
  readonly keys: readonly string[]
  readonly hasOlder: boolean
  readonly isLoadingOlder: boolean
  readonly loadOlder: () => Promise<void>
}

/**
 * The rows of a conversation that are on the screen, however long it is. Whoever reads the end stays there while it
 * grows; whoever reads elsewhere does not move, neither when it grows nor when earlier messages come in above.
 */
export function useTranscriptRows({ keys, hasOlder, isLoadingOlder, loadOlder }: TranscriptRows) {
  const scroller = useRef<HTMLElement>(null)
  const [isAtEnd, setAtEnd] = useState(true)
  const rows = useVirtualizer({
    count: keys.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 96,
    overscan: 6,
    getItemKey: (index) => keys[index] ?? index,
  })
  const size = rows.getTotalSize()
  const firstKey = keys[0]
  const before = useRef({ firstKey, size })

  useLayoutEffect(() => {
    const element = scroller.current
    const { firstKey: oldFirst } = before.current
    before.current = { firstKey, size }
    if (!element) return
    if (isAtEnd) {
      element.scrollTop = element.scrollHeight
      return
    }
    const shift = oldFirst === undefined || oldFirst === firstKey ? -1 : keys.indexOf(oldFirst)
    const start = shift > 0 ? rows.measurementsCache[shift]?.start : undefined
    if (start !== undefined) element.scrollTop += start
  }, [firstKey, size, isAtEnd, keys, rows])

  // What stands below the conversation grows and shrinks: whoever reads the end still does.
  useEffect(() => {
    const element = scroller.current
    if (!element || !isAtEnd) return
    const resized = new ResizeObserver(() => {
      element.scrollTop = element.scrollHeight
    })
    resized.observe(element)
    return () => resized.disconnect()
  }, [isAtEnd])

  const firstShown = rows.range?.startIndex ?? 0
  const [problem, setProblem] = useState<unknown>()
  const isWanted = hasOlder && !isLoadingOlder && !isAtEnd && firstShown <= earlyRows && problem === undefined
  useEffect(() => {
    if (isWanted) void loadOlder().catch(setProblem)
  }, [isWanted, loadOlder])

  return {
    scroller,
    rows,
    size,
    isAtEnd,
    goToEnd: () => setAtEnd(true),
    /** Why earlier messages could not be read; they are asked for again only when somebody says so. */
    problem,
    loadAgain() {
      setProblem(undefined)
      void loadOlder().catch(setProblem)
    },
    noteScroll() {
      const element = scroller.current
      if (element) setAtEnd(element.scrollHeight - element.scrollTop - element.clientHeight < nearPx)
    },
  }
}
