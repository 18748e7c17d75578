import { type ReactNode, useId } from 'react'

interface SectionProps {
  readonly title: string
  readonly intro?: ReactNode
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** A part of a screen under a heading of its own. */
export function Section({ title, intro, actions, children }: SectionProps) {
  const id = useId()
  return (
    <section aria-labelledby={id} className="flex flex-col gap-3">
      <div className="flex flex-wrap items-start justify-between gap-2">
        <div>
          <h2 id={id} className="text-base font-semibold">
            {title}
          </h2>
          {intro && <p className="text-ink-soft">{intro}</p>}
        </div>
        {actions}
      </div>
      {children}
    </section>
  )
}
