import type { ReactNode } from 'react'
import { tabLook } from './section-tabs.tsx'
import { useScrollToActive } from './use-scroll-to-active.ts'

/** The parts of one screen, each with an address of its own. `children` are links with `subTabLook`. */
export function SubTabs({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  const bar = useScrollToActive<HTMLElement>()
  return (
    <nav ref={bar} aria-label={label} className="relative flex overflow-x-auto border-b border-line">
      {children}
    </nav>
  )
}

export const subTabLook = tabLook
