import { type ToolView, type ToolViewModel, toolViewModel } from '@svc/sdk'
import { Check, CircleAlert, LoaderCircle } from 'lucide-react'
import type { ReactNode } from 'react'
import { DiffLines } from '../../../ui/diff-lines.tsx'
import { AnsiText } from './ansi-text.tsx'

/** One thing the agent did, closed to a line, open to its details. */
export function ToolCall({ tool }: { readonly tool: ToolView }) {
  const view = toolViewModel(tool)
  const { title, detail } = describe(view)
  return (
    <details className="group rounded-lg border border-line bg-surface">
      <summary className="flex cursor-pointer items-center gap-2 px-3 py-2">
        <Status status={tool.status} />
        <span className="min-w-0 flex-1 truncate font-mono text-xs">{title}</span>
      </summary>
      <div className="border-t border-line px-3 py-2">
        {tool.error && <p className="mb-2 text-bad">{tool.error}</p>}
        {detail ?? <p className="text-ink-faint">Nothing more to show.</p>}
      </div>
    </details>
  )
}

function Status({ status }: { readonly status: ToolView['status'] }) {
  if (status === 'error') return <CircleAlert aria-label="failed" className="size-4 shrink-0 text-bad" />
  if (status === 'done') return <Check aria-label="done" className="size-4 shrink-0 text-good" />
  return <LoaderCircle aria-label="running" className="size-4 shrink-0 animate-spin text-ink-faint" />
}

function describe(view: ToolViewModel): { title: string; detail: ReactNode } {
  switch (view.kind) {
    case 'shell':
      return { title: `$ ${view.command}`, detail: view.stdout ? <Output text={view.stdout} /> : null }
    case 'file-read':
      return { title: `read ${view.path}`, detail: view.preview ? <Output text={view.preview} /> : null }
    case 'file-write':
      return { title: `write ${view.path}`, detail: view.preview ? <Output text={view.preview} /> : null }
    case 'file-edit':
      return { title: `edit ${view.path}`, detail: view.diff ? <DiffLines lines={view.diff} /> : null }
    case 'search':
      return {
        title: `search ${view.pattern}`,
        detail: (
          <ul className="flex flex-col gap-1 font-mono text-xs">
            {view.matches?.map(({ path, line, content }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: matches never change once they are there
              <li key={index} className="truncate">
                {path}
                {line !== undefined && `:${line}`} {content}
              </li>
            ))}
          </ul>
        ),
      }
    case 'todo':
      return {
        title: 'plan',
        detail: (
          <ul className="flex flex-col gap-1">
            {view.items.map(({ content, status }) => (
              <li key={content} className={status === 'completed' ? 'text-ink-faint line-through' : ''}>
                {content}
              </li>
            ))}
          </ul>
        ),
      }
    case 'question':
      return {
        title: `asked ${view.questions[0]?.question ?? ''}`,
        detail: <p>{view.answers ? `Answered: ${view.answers.flat().join(', ')}` : 'Waits for an answer.'}</p>,
      }
    case 'task':
      return { title: `task ${view.description}`, detail: <p>By {view.agent ?? 'another agent'}</p> }
    case 'web-search':
      return { title: `web search ${view.query}`, detail: view.answer ? <p>{view.answer}</p> : null }
    case 'generic':
      return {
        title: view.label,
        detail: (
          <>
            {view.inputPretty && <Output text={view.inputPretty} />}
            {view.outputPretty && <Output text={view.outputPretty} />}
          </>
        ),
      }
  }
}

function Output({ text }: { readonly text: string }) {
  return (
    <pre className="max-h-80 overflow-auto font-mono text-xs whitespace-pre-wrap">
      <AnsiText text={text} />
    </pre>
  )
}
