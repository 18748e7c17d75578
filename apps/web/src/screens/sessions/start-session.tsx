import { useProjectSessions, useVisibleAgents } from '@svc/sdk/react'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, type KeyboardEvent, useEffect, useState } from 'react'
import { keepDraft, readDraft } from '../../data/prompt-drafts.ts'
import { Button } from '../../ui/button.tsx'
import { ProblemNotice } from '../../ui/notice.tsx'

/** What you would like done, and by whom: that is all a session needs. */
export function StartSession({ projectId }: { readonly projectId: string }) {
  const agents = useVisibleAgents({ projectId })
  const { create } = useProjectSessions(projectId)
  const navigate = useNavigate()
  const [text, setText] = useState(() => readDraft(projectId).text)
  // Whoever leaves the screen finds it again.
  useEffect(() => keepDraft(projectId, { text, files: [] }), [projectId, text])
  const [agent, setAgent] = useState('')
  const start = async () => {
    if (text.trim() === '' || create.isPending) return
    const made = await create.mutateAsync({ pending_prompt: { text }, ...(agent ? { agent_name: agent } : {}) })
    if (!made.session_id) return
    setText('')
    await navigate({
      to: '/projects/$projectId/sessions/$sessionId',
      params: { projectId, sessionId: made.session_id },
    })
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void start()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    void start()
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-2 rounded-lg border border-line-strong bg-surface p-3">
      <textarea
        aria-label="What should be done?"
        placeholder="What should be done?"
        rows={3}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
        className="w-full resize-y bg-transparent placeholder:text-ink-faint"
      />
      {create.error && <ProblemNotice error={create.error} />}
      <div className="flex items-center justify-between gap-2">
        <select
          aria-label="Agent"
          value={agent}
          onChange={(event) => setAgent(event.target.value)}
          className="h-8 max-w-48 rounded-md border border-line-strong bg-surface px-2"
        >
          <option value="">Default agent</option>
          {agents.map(({ name }) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
        <Button look="primary" type="submit" isBusy={create.isPending} disabled={text.trim() === ''}>
          Start
        </Button>
      </div>
    </form>
  )
}
