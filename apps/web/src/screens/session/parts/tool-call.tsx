import { type ToolView, toolViewModel } from '@svc/sdk'
import { Check, CircleAlert, LoaderCircle } from 'lucide-react'
import { describeTool } from './describe-tool.tsx'

/** One thing the agent did, closed to a line, open to its details. A change of a file is open from the start. */
export function ToolCall({ tool }: { readonly tool: ToolView }) {
  const view = toolViewModel(tool)
  const { title, note, detail } = describeTool(tool, view)
  return (
    <details
      open={view.kind === 'file-edit' || view.kind === 'todo'}
      className="rounded-lg border border-line bg-surface"
    >
      <summary className="flex cursor-pointer items-center gap-2 px-3 py-2">
        <Status status={tool.status} />
        <span className="min-w-0 flex-1 truncate font-mono text-xs">{title}</span>
        {note && <span className="shrink-0 text-xs text-ink-faint">{note}</span>}
      </summary>
      <div className="border-t border-line px-3 py-2">
        {tool.error && <p className="mb-2 break-words text-bad">{tool.error}</p>}
        {detail ?? <p className="text-ink-faint">Nothing more to show.</p>}
      </div>
    </details>
  )
}

function Status({ status }: { readonly status: ToolView['status'] }) {
  if (status === 'error') return <CircleAlert aria-label="failed" role="img" className="size-4 shrink-0 text-bad" />
  if (status === 'done') return <Check aria-label="done" role="img" className="size-4 shrink-0 text-good" />
  return <LoaderCircle aria-label="running" role="img" className="size-4 shrink-0 animate-spin text-ink-faint" />
}
