import { isApiError } from '@svc/sdk'
import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { classNames } from './class-names.ts'

const tones = {
  info: 'border-line bg-sunken text-ink',
  good: 'border-good/40 bg-good-soft text-good',
  warn: 'border-warn/40 bg-warn-soft text-warn',
  bad: 'border-bad/40 bg-bad-soft text-bad',
}

export function Notice({
  tone = 'info',
  children,
}: {
  readonly tone?: keyof typeof tones
  readonly children: ReactNode
}) {
  return (
    <div role={tone === 'bad' ? 'alert' : 'status'} className={classNames('rounded-md border p-3', tones[tone])}>
      {children}
    </div>
  )
}

/** What went wrong, in the server's words, with its next step and the id to report. */
export function ProblemNotice({ error, onRetry }: { readonly error: unknown; readonly onRetry?: () => void }) {
  const { sentence, next, requestId } = describeError(error)
  return (
    <Notice tone="bad">
      <p className="font-medium">{sentence}</p>
      {next && <p className="mt-1">{next}</p>}
      {requestId && <p className="mt-1 font-mono text-xs break-all">Request {requestId}</p>}
      {onRetry && (
        <Button size="small" className="mt-2" onClick={onRetry}>
          Try again
        </Button>
      )}
    </Notice>
  )
}

export function describeError(error: unknown): { sentence: string; next?: string; requestId?: string } {
  if (!isApiError(error)) {
    // What was classified for a screen still has the server's own words behind it.
    if (error instanceof Error && isApiError(error.cause)) return describeError(error.cause)
    return { sentence: error instanceof Error ? error.message : 'Something went wrong.' }
  }
  const body: unknown = error.data
  const read = (name: string) => {
    if (typeof body !== 'object' || body === null) return undefined
    const value: unknown = Reflect.get(body, name)
    return typeof value === 'string' ? value : undefined
  }
  const next = read('next')
  const requestId = read('request_id')
  return { sentence: error.message, ...(next ? { next } : {}), ...(requestId ? { requestId } : {}) }
}
