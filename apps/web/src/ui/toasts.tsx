import { X } from 'lucide-react'
import { useSyncExternalStore } from 'react'
import { classNames } from './class-names.ts'
import { describeError } from './notice.tsx'

interface Toast {
  readonly id: number
  readonly tone: 'good' | 'bad'
  readonly text: string
  /** To report it with. */
  readonly requestId?: string | undefined
}

const shownMs = { good: 6_000, bad: 15_000 }
let toasts: readonly Toast[] = []
let nextId = 1
const listeners = new Set<() => void>()

/** A short word about something that just happened. */
export function showToast(text: string, tone: Toast['tone'] = 'good', requestId?: string): void {
  const id = nextId++
  change([...toasts.slice(-3), { id, tone, text, requestId }])
  setTimeout(() => close(id), shownMs[tone])
}

/** What the server said, its next step and the id of the request. */
export function showProblem(error: unknown): void {
  const { sentence, next, requestId } = describeError(error)
  showToast(next ? `${sentence} ${next}` : sentence, 'bad', requestId)
}

const close = (id: number) => change(toasts.filter((toast) => toast.id !== id))

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
      {shown.map(({ id, tone, text, requestId }) => (
        <div
          key={id}
          className={classNames(
            'pointer-events-auto flex max-w-sm items-start gap-2 rounded-md border bg-surface py-3 pr-2 pl-4 shadow-lg',
            tone === 'bad' ? 'border-bad text-bad' : 'border-line-strong',
          )}
        >
          <div className="min-w-0 flex-1">
            <p className="break-words">{text}</p>
            {requestId && <p className="mt-1 font-mono text-xs break-all">Request {requestId}</p>}
          </div>
          <button type="button" aria-label="Close" className="rounded p-0.5 hover:bg-sunken" onClick={() => close(id)}>
            <X className="size-4" aria-hidden />
          </button>
        </div>
      ))}
    </div>
  )
}
