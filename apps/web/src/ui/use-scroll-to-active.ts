import { useLocation } from '@tanstack/react-router'
import { type RefObject, useEffect, useRef } from 'react'

/** A line of links that scrolls sideways shows the one that is open, also when something before it grows. */
export function useScrollToActive<Bar extends HTMLElement>(...grows: unknown[]): RefObject<Bar | null> {
  const bar = useRef<Bar>(null)
  const { pathname } = useLocation()
  // biome-ignore lint/correctness/useExhaustiveDependencies: another address or another width is the reason to look again
  useEffect(() => {
    const active = bar.current?.querySelector<HTMLElement>('[data-status=active]')
    if (!bar.current || !active) return
    bar.current.scrollLeft = active.offsetLeft - (bar.current.clientWidth - active.offsetWidth) / 2
  }, [pathname, ...grows])
  return bar
}
