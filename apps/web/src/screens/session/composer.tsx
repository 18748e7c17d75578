import type { UseSession } from '@svc/sdk/react'
import { Square } from 'lucide-react'
import { type FormEvent, type KeyboardEvent, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'

/** Writes to the session. While the agent works, what you send waits its turn. */
export function Composer({ session }: { readonly session: UseSession }) {
  const [text, setText] = useState('')
  const send = () => {
    const prompt = text.trim()
    if (prompt === '') return
    setText('')
    void session.send(prompt)
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
  const { sendError } = session
  // The first prompt stands in the conversation already.
  const pending =
    session.messages.length === 0 ? session.pending.filter(({ state }) => state === 'failed') : session.pending
  return (
    <form onSubmit={submit} className="flex flex-col gap-2">
      {pending.length > 0 && (
        <ul aria-label="Waiting prompts" className="flex flex-col gap-1">
          {pending.map((prompt) => (
            <li key={prompt.prompt_id} className="truncate rounded bg-sunken px-3 py-1.5 text-ink-soft">
              {prompt.state === 'failed' ? 'Not sent: ' : 'Waiting: '}
              {prompt.text}
            </li>
          ))}
        </ul>
      )}
      {sendError && <Notice tone="bad">{sendError.message}</Notice>}
      <div className="flex flex-col gap-2 rounded-lg border border-line-strong bg-surface p-3">
        <textarea
          aria-label="Message"
          placeholder={session.isBusy ? 'The agent is working; this waits its turn' : 'Message'}
          rows={2}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={onKeyDown}
          className="max-h-60 w-full resize-y bg-transparent placeholder:text-ink-faint"
        />
        <div className="flex flex-wrap items-center gap-2">
          <Picker
            label="Agent"
            value={session.picks.agent ?? session.defaultAgent ?? ''}
            options={session.agents.map(({ name }) => ({ value: name, label: name }))}
            onPick={session.picks.setAgent}
          />
          <Picker
            label="Model"
            value={session.picks.model ? `${session.picks.model.providerID}/${session.picks.model.modelID}` : ''}
            options={[
              { value: '', label: 'Default model' },
              ...session.models.map(({ providerID, modelID, name }) => ({
                value: `${providerID}/${modelID}`,
                label: name,
              })),
            ]}
            onPick={(value) => session.picks.setModel(readModel(value))}
          />
          <span className="flex-1" />
          {session.isBusy && (
            <Button icon={<Square className="size-3.5" aria-hidden />} onClick={() => void session.cancel()}>
              Stop
            </Button>
          )}
          <Button look="primary" type="submit" disabled={text.trim() === ''}>
            Send
          </Button>
        </div>
      </div>
    </form>
  )
}

function readModel(value: string) {
  const slash = value.indexOf('/')
  return slash === -1 ? undefined : { providerID: value.slice(0, slash), modelID: value.slice(slash + 1) }
}

interface PickerProps {
  readonly label: string
  readonly value: string
  readonly options: readonly { readonly value: string; readonly label: string }[]
  readonly onPick: (value: string) => void
}

function Picker({ label, value, options, onPick }: PickerProps) {
  if (options.length === 0) return null
  return (
    <select
      aria-label={label}
      value={value}
      onChange={(event) => onPick(event.target.value)}
      className="h-8 max-w-40 truncate rounded-md border border-line bg-surface px-2 text-xs text-ink-soft"
    >
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.label}
        </option>
      ))}
    </select>
  )
}
