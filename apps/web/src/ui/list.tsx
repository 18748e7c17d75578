import type { ReactNode } from 'react'

/** Rows of one kind. */
export function List({ label, children }: { readonly label?: string; readonly children: ReactNode }) {
  return (
    <ul aria-label={label} className="divide-y divide-line rounded-lg border border-line bg-surface">
      {children}
    </ul>
  )
}

interface RowProps {
  readonly title: ReactNode
  readonly note?: ReactNode
  /** Badges, times and buttons at the end of the row. */
  readonly children?: ReactNode
}

/** One row: what it is, a note below, what can be done at its end. On a phone the end wraps below. */
export function Row({ title, note, children }: RowProps) {
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-3">
      <div className="min-w-0 flex-1 basis-48">
        <div className="truncate font-medium">{title}</div>
        {note && <div className="text-ink-soft break-words">{note}</div>}
      </div>
      {children && <div className="flex flex-wrap items-center gap-2">{children}</div>}
    </li>
  )
}
