import type { ReactNode } from 'react'
import { tabLook } from './section-tabs.tsx'

/** The parts of one screen, each with an address of its own. `children` are links with `subTabLook`. */
export function SubTabs({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <nav aria-label={label} className="flex overflow-x-auto border-b border-line">
      {children}
    </nav>
  )
}

export const subTabLook = tabLook
