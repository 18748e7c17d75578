import { manifestFormatForPath, validateManifest } from '@svc/manifest'
import { useProposeFile } from '@svc/sdk/react'
import { useNavigate } from '@tanstack/react-router'
import { useDeferredValue, useId, useMemo, useRef, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { ProblemNotice } from '../../ui/notice.tsx'
import { findOffset } from './find-offset.ts'
import { IssueList } from './issue-list.tsx'

interface ManifestEditorProps {
  readonly projectId: string
  readonly path: string
  readonly initial: string
}

/** The manifest as text, checked on every keystroke by the package that the server checks it with. */
export function ManifestEditor({ projectId, path, initial }: ManifestEditorProps) {
  const [text, setText] = useState(initial)
  const [step, setStep] = useState('')
  const area = useRef<HTMLTextAreaElement>(null)
  const id = useId()
  const settled = useDeferredValue(text)
  const { issues } = useMemo(() => validateManifest(settled, manifestFormatForPath(path)), [settled, path])
  const propose = useProposeFile(projectId)
  const navigate = useNavigate()
  const isValid = issues.every(({ severity }) => severity !== 'error')
  const jump = (line: number, column: number) => {
    const at = findOffset(text, line, column)
    area.current?.focus()
    area.current?.setSelectionRange(at, at)
  }
  const send = async () => {
    const { cr_id } = await propose.mutateAsync({ path, content: text, title: `Change ${path}`, onStep: setStep })
    await navigate({ to: '/projects/$projectId/change-requests/$crId', params: { projectId, crId: cr_id } })
  }
  return (
    <div className="flex flex-col gap-3">
      <label htmlFor={id} className="font-mono text-xs">
        {path}
      </label>
      <textarea
        id={id}
        ref={area}
        value={text}
        spellCheck={false}
        rows={Math.min(30, Math.max(10, initial.split('\n').length + 1))}
        aria-invalid={!isValid}
        aria-describedby={`${id}-issues`}
        onChange={(event) => setText(event.target.value)}
        className="w-full resize-y rounded-md border border-line-strong bg-surface p-3 font-mono text-xs leading-5 whitespace-pre"
      />
      <div id={`${id}-issues`}>
        <IssueList issues={issues} onJump={jump} />
      </div>
      {propose.error && <ProblemNotice error={propose.error} />}
      <div className="flex flex-wrap items-center gap-2">
        <Button
          look="primary"
          disabled={text === initial || !isValid}
          isBusy={propose.isPending}
          onClick={() => void send().catch(() => undefined)}
        >
          Propose this change
        </Button>
        <Button look="quiet" disabled={text === initial || propose.isPending} onClick={() => setText(initial)}>
          Undo all
        </Button>
        <span role="status" className="text-ink-soft">
          {propose.isPending && step}
        </span>
      </div>
    </div>
  )
}
