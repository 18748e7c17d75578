import { type ReactNode, useEffect } from 'react'

interface PageProps {
  readonly title: string
  readonly actions?: ReactNode
  readonly intro?: ReactNode
  readonly children: ReactNode
}

/** A screen: its title is the heading, the tab's name and what a screen reader says first. */
export function Page({ title, actions, intro, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · svc`
  }, [title])
  return (
    <div className="mx-auto flex w-full max-w-5xl flex-col gap-6 px-4 py-6 sm:px-8">
      <header className="flex min-h-9 flex-wrap items-start justify-between gap-3">
        <div className="min-w-0">
          <h1 className="truncate text-xl font-semibold">{title}</h1>
          {intro && <div className="mt-1 text-ink-soft">{intro}</div>}
        </div>
        {actions && <div className="flex flex-wrap gap-2">{actions}</div>}
      </header>
      {children}
    </div>
  )
}
