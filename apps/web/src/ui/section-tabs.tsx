import type { ReactNode } from 'react'

export const tabLook =
  'border-b-2 border-transparent px-3 py-2.5 whitespace-nowrap text-ink-soft hover:text-ink data-[status=active]:border-accent data-[status=active]:text-ink'

/** The sections below one thing, in a line that scrolls sideways where it does not fit. */
export function SectionTabs({ label, name, children }: { label: string; name: ReactNode; children: ReactNode }) {
  return (
    <nav
      aria-label={label}
      className="flex shrink-0 items-center gap-1 overflow-x-auto border-b border-line bg-surface px-4 sm:px-8"
    >
      <span className="mr-3 max-w-48 shrink-0 truncate font-medium">{name}</span>
      {children}
    </nav>
  )
}
