import type { UseSession } from '@svc/sdk/react'
import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { useSending } from '../../ui/use-sending.tsx'
import { type Question, readPatterns, readQuestions, text } from './read-asks.ts'

/** What the agent waits for: questions and permissions, answered where they are asked. */
export function Asks({ session }: { readonly session: UseSession }) {
  return (
    <>
      {session.questions.map((request) => (
        <QuestionCard key={request.id} session={session} request={request} />
      ))}
      {session.permissions.map((request) => (
        <PermissionCard key={request.id} session={session} request={request} />
      ))}
    </>
  )
}

/** What is marked for one question, and what was written instead. */
interface Choice {
  readonly labels: readonly string[]
  readonly own: string
}

interface QuestionCardProps {
  readonly session: UseSession
  readonly request: UseSession['questions'][number]
}

function QuestionCard({ session, request }: QuestionCardProps) {
  const questions = readQuestions(request.questions)
  const [choices, setChoices] = useState<readonly Choice[]>(() => questions.map(() => ({ labels: [], own: '' })))
  const { isBusy, send, problem } = useSending()
  const answers = questions.map((_, at) => toAnswer(choices[at]))
  const change = (at: number, next: (choice: Choice) => Choice) =>
    setChoices((now) => now.map((choice, index) => (index === at ? next(choice) : choice)))
  return (
    <section
      aria-label="The agent asks"
      className="flex flex-col gap-3 rounded-lg border border-accent bg-accent-soft p-4"
    >
      {questions.map((question, at) => (
        <QuestionField
          // biome-ignore lint/suspicious/noArrayIndexKey: the questions of one request never change
          key={at}
          name={`${request.id}-${at}`}
          question={question}
          choice={choices[at] ?? { labels: [], own: '' }}
          onChange={(next) => change(at, next)}
        />
      ))}
      {problem}
      <div className="flex justify-end gap-2">
        <Button disabled={isBusy} onClick={() => send(() => session.rejectQuestion(request.id))}>
          Decline
        </Button>
        <Button
          look="primary"
          isBusy={isBusy}
          disabled={answers.some((labels) => labels.length === 0)}
          onClick={() => send(() => session.answerQuestion(request.id, answers))}
        >
          Answer
        </Button>
      </div>
    </section>
  )
}

interface QuestionFieldProps {
  readonly name: string
  readonly question: Question
  readonly choice: Choice
  readonly onChange: (next: (choice: Choice) => Choice) => void
}

function QuestionField({ name, question, choice, onChange }: QuestionFieldProps) {
  const { text: asked, options, multiple } = question
  const pick = (label: string) =>
    onChange(({ labels, own }) => ({ labels: toggle(labels, label, multiple), own: multiple ? own : '' }))
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 font-medium">{asked}</legend>
      {options.map(({ label, description }) => (
        <label key={label} className="flex items-start gap-2">
          <input
            type={multiple ? 'checkbox' : 'radio'}
            name={name}
            checked={choice.labels.includes(label)}
            onChange={() => pick(label)}
            className="mt-1"
          />
          <span>
            {label}
            {description && description !== label && <span className="block text-ink-soft">{description}</span>}
          </span>
        </label>
      ))}
      <input
        aria-label={`Another answer to: ${asked}`}
        placeholder="Another answer"
        value={choice.own}
        onChange={(event) => onChange(({ labels }) => ({ labels: multiple ? labels : [], own: event.target.value }))}
        className="h-8 rounded-md border border-line-strong bg-surface px-2"
      />
    </fieldset>
  )
}

function toAnswer(choice: Choice | undefined): readonly string[] {
  const own = choice?.own.trim() ?? ''
  return [...(choice?.labels ?? []), ...(own === '' ? [] : [own])]
}

function toggle(labels: readonly string[], label: string, multiple: boolean): readonly string[] {
  if (!multiple) return [label]
  return labels.includes(label) ? labels.filter((one) => one !== label) : [...labels, label]
}

interface PermissionCardProps {
  readonly session: UseSession
  readonly request: UseSession['permissions'][number]
}

function PermissionCard({ session, request }: PermissionCardProps) {
  const { isBusy, send, problem } = useSending()
  const reply = (word: 'once' | 'always' | 'reject') => send(() => session.answerPermission(request.id, word))
  return (
    <section
      aria-label="The agent asks for permission"
      className="flex flex-col gap-2 rounded-lg border border-warn bg-warn-soft p-4"
    >
      <p className="font-medium text-warn">The agent would like to use {text(request.permission)}</p>
      <ul className="max-h-40 overflow-y-auto font-mono text-xs break-all">
        {readPatterns(request.patterns).map((pattern) => (
          <li key={pattern}>{pattern}</li>
        ))}
      </ul>
      {problem}
      <div className="flex flex-wrap justify-end gap-2">
        <Button disabled={isBusy} onClick={() => reply('reject')}>
          Refuse
        </Button>
        <Button disabled={isBusy} onClick={() => reply('always')}>
          Always allow
        </Button>
        <Button look="primary" isBusy={isBusy} onClick={() => reply('once')}>
          Allow once
        </Button>
      </div>
    </section>
  )
}
