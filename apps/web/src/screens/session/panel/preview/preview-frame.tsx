import { openPreview } from '@svc/sdk/react'
import { ArrowLeft, ExternalLink, RotateCw } from 'lucide-react'
import { type FormEvent, useEffect, useState } from 'react'
import { Button } from '../../../../ui/button.tsx'
import { Notice, ProblemNotice } from '../../../../ui/notice.tsx'
import { SkeletonRows } from '../../../../ui/skeleton.tsx'
import type { PanelProps } from '../panel-props.ts'
import { openInTab } from './open-in-tab.ts'

interface PreviewFrameProps extends PanelProps {
  readonly port: number
  readonly onBack: () => void
}

/** Everything a page of its own origin needs, and nothing that reaches this one: no way up, no way out of the frame. */
const rights = 'allow-scripts allow-same-origin allow-forms allow-popups allow-downloads'

/** What a port of the machine serves, in a frame on an origin of its own. */
export function PreviewFrame({ projectId, sessionId, port, onBack }: PreviewFrameProps) {
  const [typed, setTyped] = useState('/')
  const [shown, setShown] = useState({ path: '/', times: 0 })
  const [address, setAddress] = useState<string>()
  const [error, setError] = useState<unknown>()
  useEffect(() => {
    let isOver = false
    setError(undefined)
    // The address before may be out of date by now: the frame waits for its own.
    setAddress(undefined)
    openPreview(projectId, sessionId, port, shown.path).then(
      (url) => isOver || setAddress(url),
      (problem: unknown) => isOver || setError(problem),
    )
    return () => {
      isOver = true
    }
  }, [projectId, sessionId, port, shown])
  const show = (path: string) => setShown(({ times }) => ({ path, times: times + 1 }))
  const go = (event: FormEvent) => {
    event.preventDefault()
    const path = typed.startsWith('/') ? typed : `/${typed}`
    setTyped(path)
    show(path)
  }
  // Below the dashboard's own origin a page must not stand in a frame: there it opens in a window of its own only.
  const isApart = address !== undefined && new URL(address).origin !== location.origin
  return (
    <div className="flex h-full min-h-0 flex-col gap-2">
      <form onSubmit={go} className="flex items-center gap-2">
        <Button size="small" aria-label="All ports" onClick={onBack}>
          <ArrowLeft className="size-3.5" aria-hidden />
        </Button>
        <Button size="small" aria-label="Load again" onClick={() => show(shown.path)}>
          <RotateCw className="size-3.5" aria-hidden />
        </Button>
        <label className="flex h-7 min-w-0 flex-1 items-center rounded-md border border-line-strong bg-surface px-2 font-mono text-xs">
          <span className="shrink-0 text-ink-faint">localhost:{port}</span>
          <input
            aria-label="Path"
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
            className="min-w-0 flex-1 bg-transparent outline-none"
          />
        </label>
        <Button
          size="small"
          aria-label="Open in a new tab"
          onClick={() => openInTab(openPreview(projectId, sessionId, port, shown.path))}
        >
          <ExternalLink className="size-3.5" aria-hidden />
        </Button>
      </form>
      {error !== undefined && <ProblemNotice error={error} onRetry={() => show(shown.path)} />}
      {address === undefined && error === undefined && <SkeletonRows rows={1} height="h-80" />}
      {address !== undefined && !isApart && (
        <Notice>Previews have no addresses of their own on this server, so this one opens in a new tab only.</Notice>
      )}
      {isApart && (
        <iframe
          key={shown.times}
          title={`Port ${port}`}
          src={address}
          sandbox={rights}
          allow=""
          referrerPolicy="no-referrer"
          className="min-h-60 w-full flex-1 rounded-lg border border-line bg-white"
        />
      )}
    </div>
  )
}
