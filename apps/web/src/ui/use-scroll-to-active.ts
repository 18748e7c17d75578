import { useLocation } from '@tanstack/react-router'
import { type RefObject, useEffect, useRef } from 'react'

/** A line of links that scrolls sideways shows the one that is open, also when it or something in it changes its width. */
export function useScrollToActive<Bar extends HTMLElement>(...grows: unknown[]): RefObject<Bar | null> {
  const bar = useRef<Bar>(null)
  const { pathname } = useLocation()
  // biome-ignore lint/correctness/useExhaustiveDependencies: another address or another name is the reason to look again
  useEffect(() => {
    const line = bar.current
    if (!line) return
    const observer = new ResizeObserver(() => {
      const active = line.querySelector<HTMLElement>('[data-status=active]')
      if (active) line.scrollLeft = active.offsetLeft - (line.clientWidth - active.offsetWidth) / 2
    })
    // It is told of the width it begins with, too.
    observer.observe(line)
    return () => observer.disconnect()
  }, [pathname, ...grows])
  return bar
}
