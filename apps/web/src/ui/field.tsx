import { type ComponentProps, type ReactNode, useId } from 'react'
import { classNames } from './class-names.ts'

const box =
  'w-full rounded-md border border-line-strong bg-surface px-3 text-ink placeholder:text-ink-faint disabled:opacity-60'

interface Labelled {
  readonly label: string
  readonly hint?: ReactNode
  readonly problem?: string | undefined
}

/** A labelled line of text; what is wrong with it stands below it and is read out with it. */
export function TextField({ label, hint, problem, ...rest }: Labelled & ComponentProps<'input'>) {
  const id = useId()
  return (
    <Frame id={id} label={label} hint={hint} problem={problem}>
      <input
        id={id}
        {...rest}
        aria-invalid={problem ? true : undefined}
        aria-describedby={`${id}-note`}
        className={classNames(box, 'h-9', rest.className)}
      />
    </Frame>
  )
}

export function TextArea({ label, hint, problem, ...rest }: Labelled & ComponentProps<'textarea'>) {
  const id = useId()
  return (
    <Frame id={id} label={label} hint={hint} problem={problem}>
      <textarea
        id={id}
        rows={4}
        {...rest}
        aria-invalid={problem ? true : undefined}
        aria-describedby={`${id}-note`}
        className={classNames(box, 'py-2', rest.className)}
      />
    </Frame>
  )
}

export function SelectField({ label, hint, problem, children, ...rest }: Labelled & ComponentProps<'select'>) {
  const id = useId()
  return (
    <Frame id={id} label={label} hint={hint} problem={problem}>
      <select id={id} {...rest} aria-describedby={`${id}-note`} className={classNames(box, 'h-9', rest.className)}>
        {children}
      </select>
    </Frame>
  )
}

function Frame({
  id,
  label,
  hint,
  problem,
  children,
}: Labelled & { readonly id: string; readonly children: ReactNode }) {
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      {children}
      <p id={`${id}-note`} className={classNames('text-xs empty:hidden', problem ? 'text-bad' : 'text-ink-faint')}>
        {problem ?? hint}
      </p>
    </div>
  )
}
