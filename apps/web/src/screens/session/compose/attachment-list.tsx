import { Paperclip, RotateCw, X } from 'lucide-react'
import { Button } from '../../../ui/button.tsx'
import { describeError } from '../../../ui/notice.tsx'
import type { Attachment } from './attachment.ts'
import type { Attachments } from './use-attachments.ts'

/** Each file with how far it has come, what went wrong with it, and the way to take it back. */
export function AttachmentList({ attachments: { list, remove, retry } }: { readonly attachments: Attachments }) {
  if (list.length === 0) return null
  return (
    <ul aria-label="Attachments" className="flex flex-wrap gap-2">
      {list.map((one) => (
        <li
          key={one.id}
          className="flex max-w-full items-center gap-2 rounded-md border border-line bg-sunken py-1 pr-1 pl-2 text-xs"
        >
          <Paperclip className="size-3.5 shrink-0 text-ink-faint" aria-hidden />
          <span className="min-w-0">
            <span className="block max-w-48 truncate font-medium">{one.name}</span>
            <State one={one} />
          </span>
          {one.state === 'failed' && (
            <Button size="small" look="quiet" aria-label={`Try ${one.name} again`} onClick={() => retry(one)}>
              <RotateCw className="size-3.5" aria-hidden />
            </Button>
          )}
          <Button size="small" look="quiet" aria-label={`Remove ${one.name}`} onClick={() => remove(one)}>
            <X className="size-3.5" aria-hidden />
          </Button>
        </li>
      ))}
    </ul>
  )
}

function State({ one: { state, name, file, loadedBytes, error, mime } }: { readonly one: Attachment }) {
  if (state === 'failed') {
    const { sentence, requestId } = describeError(error)
    return (
      <span className="block max-w-72 break-words text-bad">
        {sentence}
        {requestId && <span className="block font-mono">Request {requestId}</span>}
      </span>
    )
  }
  if (state === 'ready') {
    return <span className="block text-ink-faint">{mime === undefined ? 'For tools to read' : 'Attached'}</span>
  }
  return (
    <progress
      aria-label={`Upload of ${name}`}
      value={loadedBytes}
      max={Math.max(file?.size ?? 0, 1)}
      className="block h-1.5 w-32 overflow-hidden rounded-full accent-accent"
    />
  )
}
