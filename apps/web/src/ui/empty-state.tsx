import type { ReactNode } from 'react'

/** Nothing is here yet: what would be, and how to get the first one. */
export function EmptyState({
  title,
  children,
  action,
}: {
  readonly title: string
  readonly children?: ReactNode
  readonly action?: ReactNode
}) {
  return (
    <div className="flex flex-col items-center gap-3 rounded-lg border border-dashed border-line-strong px-6 py-12 text-center">
      <h2 className="text-base font-semibold">{title}</h2>
      {children && <div className="max-w-md text-ink-soft">{children}</div>}
      {action}
    </div>
  )
}
