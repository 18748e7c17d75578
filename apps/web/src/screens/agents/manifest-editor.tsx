import { manifestFormatForPath, validateManifest } from '@svc/manifest'
import { useProposeFile } from '@svc/sdk/react'
import { useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useDeferredValue, useMemo, useRef, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { LeaveDialog } from '../../ui/leave-dialog.tsx'
import { Notice, ProblemNotice } from '../../ui/notice.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { IssueList } from './issue-list.tsx'
import type { ManifestTextHandle } from './manifest-text.tsx'

const ManifestText = lazy(() => import('./manifest-text.tsx').then((module) => ({ default: module.ManifestText })))

interface ManifestEditorProps {
  readonly projectId: string
  readonly path: string
  /** As it is on the default branch; it may change while somebody writes. */
  readonly stored: string
}

/** The manifest as text, checked on every keystroke by the package that the server checks it with. */
export function ManifestEditor({ projectId, path, stored }: ManifestEditorProps) {
  const [base, setBase] = useState(stored)
  const [text, setText] = useState(stored)
  const [step, setStep] = useState('')
  const handle = useRef<ManifestTextHandle>(null)
  const settled = useDeferredValue(text)
  const format = manifestFormatForPath(path)
  const { issues } = useMemo(() => validateManifest(settled, format), [settled, format])
  const propose = useProposeFile(projectId)
  const navigate = useNavigate()
  const isValid = issues.every(({ severity }) => severity !== 'error')
  const take = (next: string) => {
    setBase(next)
    setText(next)
  }
  if (base !== stored && text === base) take(stored)
  const send = async () => {
    const { cr_id } = await propose.mutateAsync({ path, content: text, title: `Change ${path}`, onStep: setStep })
    await navigate({
      to: '/projects/$projectId/change-requests/$crId',
      params: { projectId, crId: cr_id },
      ignoreBlocker: true,
    })
  }
  return (
    <div className="flex flex-col gap-3">
      <p className="text-ink-soft">
        <code className="font-mono text-xs">{path}</code>: what may stand where the cursor is shows as you type, or with{' '}
        <kbd className="font-mono text-xs">Ctrl Space</kbd>. <kbd className="font-mono text-xs">Escape</kbd> and then{' '}
        <kbd className="font-mono text-xs">Tab</kbd> leaves the text.
      </p>
      <div className="h-[28rem] max-h-[70vh] overflow-hidden rounded-lg border border-line-strong">
        <Suspense fallback={<SkeletonRows rows={1} height="h-[28rem]" />}>
          <ManifestText
            label={`Text of ${path}`}
            value={text}
            format={format}
            issues={issues}
            handle={handle}
            onChange={setText}
          />
        </Suspense>
      </div>
      <IssueList issues={issues} onJump={(line, column) => handle.current?.jump(line, column)} />
      {base !== stored && (
        <Notice tone="warn">
          <p>The manifest changed since you began. What you wrote is kept; proposed, it replaces what is there now.</p>
          <Button size="small" className="mt-2" onClick={() => take(stored)}>
            Take what is there now
          </Button>
        </Notice>
      )}
      {propose.error && <ProblemNotice error={propose.error} />}
      <div className="flex flex-wrap items-center gap-2">
        <Button
          look="primary"
          disabled={text === base || !isValid}
          isBusy={propose.isPending}
          onClick={() => void send().catch(() => undefined)}
        >
          Propose this change
        </Button>
        <Button look="quiet" disabled={text === base || propose.isPending} onClick={() => take(stored)}>
          Undo all
        </Button>
        <span role="status" className="text-ink-soft">
          {propose.isPending && step}
        </span>
      </div>
      <LeaveDialog unsaved={text === base ? undefined : path} />
    </div>
  )
}
