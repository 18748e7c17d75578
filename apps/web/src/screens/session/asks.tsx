import type { UseSession } from '@svc/sdk/react'
import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { showProblem } from '../../ui/toasts.tsx'
import { readPatterns, readQuestions, text } from './read-asks.ts'

/** What the agent waits for: questions and permissions, answered where they are asked. */
export function Asks({ session }: { readonly session: UseSession }) {
  return (
    <>
      {session.questions.map((request) => (
        <Question key={request.id} session={session} request={request} />
      ))}
      {session.permissions.map((request) => (
        <Permission key={request.id} session={session} request={request} />
      ))}
    </>
  )
}

type QuestionRequest = UseSession['questions'][number]
type PermissionRequest = UseSession['permissions'][number]

function Question({ session, request }: { readonly session: UseSession; readonly request: QuestionRequest }) {
  const questions = readQuestions(request.questions)
  const [picked, setPicked] = useState<readonly (readonly string[])[]>(() => questions.map(() => []))
  const pick = (at: number, label: string, multiple: boolean) =>
    setPicked((now) => now.map((labels, index) => (index === at ? toggle(labels, label, multiple) : labels)))
  const isComplete = picked.every((labels) => labels.length > 0)
  return (
    <section
      aria-label="The agent asks"
      className="flex flex-col gap-3 rounded-lg border border-accent bg-accent-soft p-4"
    >
      {questions.map(({ text: question, options, multiple }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the questions of one request never change
        <fieldset key={at} className="flex flex-col gap-2">
          <legend className="mb-1 font-medium">{question}</legend>
          {options.map(({ label, description }) => (
            <label key={label} className="flex items-start gap-2">
              <input
                type={multiple ? 'checkbox' : 'radio'}
                name={`${request.id}-${at}`}
                checked={picked[at]?.includes(label) ?? false}
                onChange={() => pick(at, label, multiple)}
                className="mt-1"
              />
              <span>
                {label}
                {description && description !== label && <span className="block text-ink-soft">{description}</span>}
              </span>
            </label>
          ))}
          <Own
            onText={(own) => setPicked((now) => now.map((labels, index) => (index === at && own ? [own] : labels)))}
          />
        </fieldset>
      ))}
      <div className="flex justify-end gap-2">
        <Button onClick={() => session.rejectQuestion(request.id).catch(showProblem)}>Decline</Button>
        <Button
          look="primary"
          disabled={!isComplete}
          onClick={() => session.answerQuestion(request.id, picked).catch(showProblem)}
        >
          Answer
        </Button>
      </div>
    </section>
  )
}

function Own({ onText }: { readonly onText: (text: string) => void }) {
  return (
    <input
      aria-label="Another answer"
      placeholder="Another answer"
      onChange={(event) => onText(event.target.value.trim())}
      className="h-8 rounded-md border border-line-strong bg-surface px-2"
    />
  )
}

function toggle(labels: readonly string[], label: string, multiple: boolean): readonly string[] {
  if (!multiple) return [label]
  return labels.includes(label) ? labels.filter((one) => one !== label) : [...labels, label]
}

function Permission({ session, request }: { readonly session: UseSession; readonly request: PermissionRequest }) {
  const reply = (answer: 'once' | 'always' | 'reject') =>
    session.answerPermission(request.id, answer).catch(showProblem)
  return (
    <section
      aria-label="The agent asks for permission"
      className="flex flex-col gap-2 rounded-lg border border-warn bg-warn-soft p-4"
    >
      <p className="font-medium text-warn">The agent would like to use {text(request.permission)}</p>
      <ul className="font-mono text-xs break-all">
        {readPatterns(request.patterns).map((pattern) => (
          <li key={pattern}>{pattern}</li>
        ))}
      </ul>
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={() => reply('reject')}>Refuse</Button>
        <Button onClick={() => reply('always')}>Always allow</Button>
        <Button look="primary" onClick={() => reply('once')}>
          Allow once
        </Button>
      </div>
    </section>
  )
}
