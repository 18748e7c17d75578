import type { ReactNode } from 'react'
import { useScrollToActive } from './use-scroll-to-active.ts'

export const tabLook =
  'border-b-2 border-transparent px-3 py-2.5 whitespace-nowrap text-ink-soft hover:text-ink data-[status=active]:border-accent data-[status=active]:text-ink'

interface SectionTabsProps {
  readonly label: string
  readonly name: ReactNode
  readonly children: ReactNode
}

/** The sections below one thing, in a line that scrolls sideways where it does not fit. */
export function SectionTabs({ label, name, children }: SectionTabsProps) {
  const bar = useScrollToActive<HTMLElement>(name)
  return (
    <nav
      ref={bar}
      aria-label={label}
      className="relative flex shrink-0 items-center gap-1 overflow-x-auto border-b border-line bg-surface px-4 sm:px-8"
    >
      <span className="mr-3 max-w-48 shrink-0 truncate font-medium sm:max-w-72">{name}</span>
      {children}
    </nav>
  )
}
