import { useSyncExternalStore } from 'react'
import { classNames } from './class-names.ts'
import { describeError } from './notice.tsx'

interface Toast {
  readonly id: number
  readonly tone: 'good' | 'bad'
  readonly text: string
}

const shownMs = 6_000
let toasts: readonly Toast[] = []
let nextId = 1
const listeners = new Set<() => void>()

/** A short word about something that just happened. */
export function showToast(text: string, tone: Toast['tone'] = 'good'): void {
  const id = nextId++
  change([...toasts.slice(-3), { id, tone, text }])
  setTimeout(() => change(toasts.filter((toast) => toast.id !== id)), shownMs)
}

export function showProblem(error: unknown): void {
  const { sentence, next } = describeError(error)
  showToast(next ? `${sentence} ${next}` : sentence, 'bad')
}

function change(next: readonly Toast[]): void {
  toasts = next
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => toasts)
  return (
    <div aria-live="polite" className="pointer-events-none fixed inset-x-4 bottom-4 z-50 flex flex-col items-end gap-2">
      {shown.map(({ id, tone, text }) => (
        <p
          key={id}
          className={classNames(
            'pointer-events-auto max-w-sm rounded-md border bg-surface px-4 py-3 shadow-lg',
            tone === 'bad' ? 'border-bad text-bad' : 'border-line-strong',
          )}
        >
          {text}
        </p>
      ))}
    </div>
  )
}
