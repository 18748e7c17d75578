import type { ChatTurn, UseSession } from '@svc/sdk/react'
import { Paperclip } from 'lucide-react'
import { memo, type ReactNode } from 'react'
import { Markdown } from '../../markdown/markdown.tsx'
import { Notice } from '../../ui/notice.tsx'
import { ToolCall } from './parts/tool-call.tsx'

type Turn = ChatTurn<UseSession['messages'][number]>
type Part = Turn['parts'][number]
type FilePart = Extract<Part, { kind: 'file' }>

/** One message: what a person wrote stands to the right, what the agent said and did over the whole width. */
export const MessageView = memo(function MessageView({ turn }: { readonly turn: Turn }) {
  const { role, summary } = turn.message.info
  const parts = turn.parts.filter((part) => part.kind !== 'text' || !part.synthetic)
  // The runtime marks where it summarised with a message in a person's name that nobody wrote.
  const isPerson = role === 'user' && !parts.every(({ kind }) => kind === 'compaction')
  const body = (
    <>
      {parts.map((part, index) => (
        <PartView key={'id' in part ? part.id : index} part={part} isPerson={isPerson} />
      ))}
      {turn.error && <TurnProblem error={turn.error} />}
    </>
  )
  if (summary === true) return <Summary>{body}</Summary>
  if (!isPerson) return <article className="flex flex-col gap-3">{body}</article>
  return (
    <article className="ml-auto flex w-fit max-w-[85%] flex-col gap-2 rounded-lg bg-accent-soft px-4 py-2.5">
      {body}
    </article>
  )
})

/** What the agent goes on with instead of the messages before it; closed, because nobody asked for it. */
function Summary({ children }: { readonly children: ReactNode }) {
  return (
    <details className="rounded-lg border border-line bg-surface">
      <summary className="cursor-pointer px-3 py-2 text-ink-soft">The summary that the agent goes on with</summary>
      <article className="flex flex-col gap-3 border-t border-line px-3 py-2">{children}</article>
    </details>
  )
}

function TurnProblem({ error }: { readonly error: NonNullable<Turn['error']> }) {
  if (error.name === 'MessageAbortedError') return <p className="text-ink-faint">Stopped.</p>
  return (
    <Notice tone="bad">
      <p className="font-medium break-words">{error.message ?? error.name}</p>
      {error.suggestion && <p className="mt-1 break-words">{error.suggestion}</p>}
      {error.requestId && <p className="mt-1 font-mono text-xs break-all">Request {error.requestId}</p>}
    </Notice>
  )
}

function PartView({ part, isPerson }: { readonly part: Part; readonly isPerson: boolean }) {
  switch (part.kind) {
    case 'text':
      return isPerson ? <p className="break-words whitespace-pre-wrap">{part.text}</p> : <Markdown text={part.text} />
    case 'reasoning':
      return (
        <details className="text-ink-soft">
          <summary className="cursor-pointer text-ink-faint">Thinking</summary>
          <div className="mt-1 border-l-2 border-line pl-3">
            <Markdown text={part.text} />
          </div>
        </details>
      )
    case 'tool':
      return <ToolCall tool={part.tool} />
    case 'file':
      return <FileView part={part} />
    case 'subtask':
      return (
        <details className="rounded-lg border border-line bg-surface">
          <summary className="cursor-pointer px-3 py-2">
            <span className="font-medium">{part.agent}</span> takes over: {part.description}
          </summary>
          <div className="border-t border-line px-3 py-2">
            <Markdown text={part.prompt} />
          </div>
        </details>
      )
    case 'agent':
      return <p className="text-ink-soft">For {part.name}</p>
    case 'retry':
      return (
        <Notice tone="warn">
          Attempt {part.attempt} failed: {part.message}
        </Notice>
      )
    case 'compaction':
      return (
        <p className="flex items-center gap-3 text-ink-faint before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
          <span>
            {part.overflow ? 'The conversation was too long: earlier messages' : 'Earlier messages'} were summarised
          </span>
        </p>
      )
    case 'patch':
      return (
        <details className="text-ink-faint">
          <summary className="cursor-pointer">
            {part.fileCount} {part.fileCount === 1 ? 'file' : 'files'} changed
          </summary>
          <ul className="mt-1 pl-4 font-mono text-xs break-all">
            {part.files.map((file) => (
              <li key={file}>{file}</li>
            ))}
          </ul>
        </details>
      )
    default:
      return null
  }
}

/** Pictures that the message itself carries; nothing is ever fetched to show one. */
const shownPictures = /^data:image\/(png|jpeg|gif|webp);base64,/

function FileView({ part: { url, filename, mime } }: { readonly part: FilePart }) {
  const name = filename ?? mime
  if (shownPictures.test(url)) {
    return <img src={url} alt={name} className="max-h-60 max-w-full self-start rounded-md border border-line" />
  }
  return (
    <p className="flex items-center gap-1.5 text-ink-soft">
      <Paperclip className="size-3.5 shrink-0" aria-hidden />
      <span className="min-w-0 truncate">Attached: {name}</span>
    </p>
  )
}
