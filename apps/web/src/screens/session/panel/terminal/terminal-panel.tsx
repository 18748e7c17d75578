import { useSessionTerminals } from '@svc/sdk/react'
import { Plus, X } from 'lucide-react'
import { lazy, Suspense, useRef, useState } from 'react'
import { Button } from '../../../../ui/button.tsx'
import { classNames } from '../../../../ui/class-names.ts'
import { ConfirmDialog } from '../../../../ui/dialog.tsx'
import { EmptyState } from '../../../../ui/empty-state.tsx'
import { QueryView } from '../../../../ui/query-view.tsx'
import { SkeletonRows } from '../../../../ui/skeleton.tsx'
import { showProblem, showToast } from '../../../../ui/toasts.tsx'
import type { PanelProps } from '../panel-props.ts'

const TerminalView = lazy(() => import('./terminal-view.tsx').then((module) => ({ default: module.TerminalView })))

/** Shells in the session's machine. They run on when you look away; closing one ends it. */
export function TerminalPanel({ projectId, sessionId }: PanelProps) {
  const terminals = useSessionTerminals(projectId, sessionId)
  const { create, remove } = terminals
  const [picked, setPicked] = useState<string>()
  const add = () => create.mutateAsync({ rows: 24, cols: 80 }).then(({ id }) => setPicked(id), showProblem)
  const closing = useRef(new Set<string>())
  const close = (id: string) => {
    closing.current.add(id)
    return remove.mutateAsync(id)
  }
  const end = (id: string) => {
    if (!closing.current.has(id)) showToast('The program of this terminal has ended.')
    void terminals.refetch()
  }
  return (
    <QueryView query={terminals}>
      {(all) => {
        const running = all.filter(({ status }) => status === 'running')
        const shown = running.find(({ id }) => id === picked) ?? running[0]
        const start = (
          <Button
            size="small"
            look={shown ? 'quiet' : 'primary'}
            icon={<Plus className="size-3.5" aria-hidden />}
            isBusy={create.isPending}
            onClick={add}
          >
            New terminal
          </Button>
        )
        if (!shown) {
          return (
            <EmptyState title="No terminal is open" action={start}>
              A terminal is a shell in the machine that the agent works in.
            </EmptyState>
          )
        }
        return (
          <div className="flex h-full min-h-0 flex-col gap-2">
            <ul aria-label="Terminals" className="flex flex-wrap items-center gap-1">
              {running.map(({ id, title }, index) => (
                <li
                  key={id}
                  className={classNames(
                    'flex items-center rounded-md border',
                    id === shown.id ? 'border-accent bg-accent-soft' : 'border-line',
                  )}
                >
                  <button
                    type="button"
                    aria-pressed={id === shown.id}
                    onClick={() => setPicked(id)}
                    className="h-7 max-w-32 truncate pr-1 pl-2 font-mono text-xs"
                  >
                    {index + 1} {title.split('/').at(-1)}
                  </button>
                  <ConfirmDialog
                    title="End this terminal?"
                    description="Whatever still runs in it ends as well."
                    confirmLabel="End it"
                    trigger={
                      <Button size="small" look="quiet" aria-label={`End terminal ${index + 1}`}>
                        <X className="size-3.5" aria-hidden />
                      </Button>
                    }
                    onConfirm={() => close(id)}
                  />
                </li>
              ))}
              <li>{start}</li>
            </ul>
            <Suspense fallback={<SkeletonRows rows={1} height="h-80" />}>
              <TerminalView
                key={shown.id}
                projectId={projectId}
                sessionId={sessionId}
                terminalId={shown.id}
                onEnd={() => end(shown.id)}
                onLook={() => void terminals.refetch()}
              />
            </Suspense>
          </div>
        )
      }}
    </QueryView>
  )
}
