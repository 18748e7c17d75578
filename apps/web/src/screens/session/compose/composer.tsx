import type { UseSession } from '@svc/sdk/react'
import { Paperclip, Square } from 'lucide-react'
import { type ClipboardEvent, type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { keepDraft, type PromptDraft, readDraft } from '../../../data/prompt-drafts.ts'
import { Button } from '../../../ui/button.tsx'
import { classNames } from '../../../ui/class-names.ts'
import { ProblemNotice } from '../../../ui/notice.tsx'
import { showProblem } from '../../../ui/toasts.tsx'
import { type Attachment, joinTexts, listThere, putBack, toParts } from './attachment.ts'
import { AttachmentList } from './attachment-list.tsx'
import { AgentPicker, ModelPicker } from './pickers.tsx'
import { PromptQueue } from './prompt-queue.tsx'
import { useAttachments } from './use-attachments.ts'
import { useFileDrop } from './use-file-drop.ts'

interface ComposerProps {
  readonly projectId: string
  readonly sessionId: string
  readonly session: UseSession
}

/** Writes to the session. While the agent works, what you send waits its turn. */
export function Composer({ projectId, sessionId, session }: ComposerProps) {
  const [kept] = useState(() => readDraft(sessionId))
  const [text, setText] = useState(kept.text)
  const attachments = useAttachments(projectId, sessionId, kept.files)
  const isDragging = useFileDrop(attachments.add)
  const picker = useRef<HTMLInputElement>(null)
  const sent = useRef<{ text: string; files: readonly Attachment[] }>({ text: '', files: [] })
  const { sendError } = session
  const { list, put } = attachments
  const isWhole = list.every(({ state }) => state === 'ready') && (text.trim() !== '' || list.length > 0)
  // One after the other, so that what fails can be put back.
  const isReady = isWhole && !session.isSending

  // Whoever leaves the screen finds it again.
  useEffect(() => keepDraft(sessionId, { text, files: listThere(list) }), [sessionId, text, list])

  // What could not be sent is not lost: it stands in the box again.
  useEffect(() => {
    if (!sendError) return
    const lost = sent.current
    sent.current = { text: '', files: [] }
    setText((now) => joinTexts(lost.text, now))
    put((now) => [...lost.files, ...now])
  }, [sendError, put])

  const send = () => {
    if (!isReady) return
    sent.current = { text, files: list }
    setText('')
    attachments.clear()
    void session.sendParts(toParts(text.trim(), list))
  }
  const takeBack = (taken: PromptDraft) => {
    setText((now) => joinTexts(taken.text, now))
    put((now) => [...putBack(taken.files), ...now])
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    send()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    send()
  }
  const onPaste = (event: ClipboardEvent) => {
    if (event.clipboardData.files.length === 0) return
    event.preventDefault()
    attachments.add([...event.clipboardData.files])
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-2">
      <PromptQueue session={session} onTakeBack={takeBack} />
      {sendError && <ProblemNotice error={sendError.cause} />}
      <div
        className={classNames(
          'flex flex-col gap-2 rounded-lg border bg-surface p-3',
          isDragging ? 'border-accent bg-accent-soft' : 'border-line-strong',
        )}
      >
        <AttachmentList attachments={attachments} />
        <textarea
          aria-label="Message"
          placeholder={placeholderOf(isDragging, session.isBusy)}
          rows={2}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={onKeyDown}
          onPaste={onPaste}
          className="max-h-60 w-full resize-y bg-transparent placeholder:text-ink-faint"
        />
        <div className="flex flex-wrap items-center gap-2">
          <Button size="small" look="quiet" aria-label="Attach files" onClick={() => picker.current?.click()}>
            <Paperclip className="size-4" aria-hidden />
          </Button>
          <input
            ref={picker}
            type="file"
            multiple
            hidden
            onChange={(event) => {
              attachments.add([...(event.target.files ?? [])])
              event.target.value = ''
            }}
          />
          <AgentPicker session={session} />
          <ModelPicker session={session} />
          <span className="ml-auto flex gap-2">
            {session.isBusy && (
              <Button
                icon={<Square className="size-3.5" aria-hidden />}
                onClick={() => void session.cancel().catch(showProblem)}
              >
                Stop
              </Button>
            )}
            <Button look="primary" type="submit" disabled={!isReady}>
              Send
            </Button>
          </span>
        </div>
      </div>
    </form>
  )
}

function placeholderOf(isDragging: boolean, isBusy: boolean): string {
  if (isDragging) return 'Drop files to attach them'
  return isBusy ? 'The agent is working; this waits its turn' : 'Message'
}
