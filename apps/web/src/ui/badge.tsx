import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'

const tones = {
  plain: 'bg-sunken text-ink-soft',
  accent: 'bg-accent-soft text-accent',
  good: 'bg-good-soft text-good',
  warn: 'bg-warn-soft text-warn',
  bad: 'bg-bad-soft text-bad',
}

export type Tone = keyof typeof tones

export function Badge({ tone = 'plain', children }: { readonly tone?: Tone; readonly children: ReactNode }) {
  return (
    <span
      className={classNames('inline-flex items-center gap-1 rounded px-1.5 py-0.5 text-xs font-medium', tones[tone])}
    >
      {children}
    </span>
  )
}
