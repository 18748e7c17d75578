import type { ComponentProps, ReactNode } from 'react'
import { classNames } from './class-names.ts'

type Look = 'primary' | 'plain' | 'quiet' | 'danger'

const looks: Record<Look, string> = {
  primary: 'bg-accent text-on-accent hover:bg-accent-hover',
  plain: 'border border-line-strong bg-surface text-ink hover:bg-sunken',
  quiet: 'text-ink-soft hover:bg-sunken hover:text-ink',
  danger: 'border border-bad bg-surface text-bad hover:bg-bad-soft',
}

interface ButtonProps extends ComponentProps<'button'> {
  readonly look?: Look
  readonly size?: 'small' | 'normal'
  /** Shows that the work is under way, and takes no second click. */
  readonly isBusy?: boolean
  readonly icon?: ReactNode
}

export function Button({ look = 'plain', size = 'normal', isBusy = false, icon, children, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      disabled={rest.disabled || isBusy}
      aria-busy={isBusy || undefined}
      className={classNames(
        'inline-flex shrink-0 items-center justify-center gap-2 rounded-md font-medium whitespace-nowrap transition-colors',
        'disabled:cursor-not-allowed disabled:opacity-60',
        size === 'small' ? 'h-7 px-2 text-xs' : 'h-9 px-3',
        looks[look],
        rest.className,
      )}
    >
      {icon}
      {children}
    </button>
  )
}
