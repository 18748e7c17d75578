import type { ChatTurn, UseSession } from '@svc/sdk/react'
import { memo } from 'react'
import { Markdown } from '../../markdown/markdown.tsx'
import { Notice } from '../../ui/notice.tsx'
import { ToolCall } from './parts/tool-call.tsx'

type Turn = ChatTurn<UseSession['messages'][number]>
type Part = Turn['parts'][number]

/** One message: what a person wrote stands to the right, what the agent said and did over the whole width. */
export const MessageView = memo(function MessageView({ turn }: { readonly turn: Turn }) {
  const isPerson = turn.message.info.role === 'user'
  const parts = turn.parts.filter((part) => part.kind !== 'text' || !part.synthetic)
  const body = (
    <>
      {parts.map((part, index) => (
        <PartView key={'id' in part ? part.id : index} part={part} isPerson={isPerson} />
      ))}
      {turn.error && (
        <Notice tone="bad">
          <p className="font-medium">{turn.error.message ?? turn.error.name}</p>
          {turn.error.suggestion && <p>{turn.error.suggestion}</p>}
        </Notice>
      )}
    </>
  )
  if (!isPerson) return <article className="flex flex-col gap-3">{body}</article>
  return (
    <article className="ml-auto flex w-fit max-w-[85%] flex-col gap-2 rounded-lg bg-accent-soft px-4 py-2.5">
      {body}
    </article>
  )
})

function PartView({ part, isPerson }: { readonly part: Part; readonly isPerson: boolean }) {
  switch (part.kind) {
    case 'text':
      return isPerson ? <p className="break-words whitespace-pre-wrap">{part.text}</p> : <Markdown text={part.text} />
    case 'reasoning':
      return (
        <details className="text-ink-soft">
          <summary className="cursor-pointer text-ink-faint">Thinking</summary>
          <div className="border-l-2 border-line pl-3">
            <Markdown text={part.text} />
          </div>
        </details>
      )
    case 'tool':
      return <ToolCall tool={part.tool} />
    case 'file':
      return <p className="text-ink-soft">Attached: {part.filename ?? part.mime}</p>
    case 'subtask':
      return (
        <p className="text-ink-soft">
          {part.agent}: {part.description}
        </p>
      )
    case 'retry':
      return (
        <Notice tone="warn">
          Attempt {part.attempt} failed: {part.message}
        </Notice>
      )
    case 'compaction':
      return <p className="border-y border-line py-1 text-center text-ink-faint">Earlier messages were summarised</p>
    case 'patch':
      return (
        <p className="text-ink-faint">
          {part.fileCount} {part.fileCount === 1 ? 'file' : 'files'} changed
        </p>
      )
    default:
      return null
  }
}
