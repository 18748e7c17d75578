import type { ToolView, ToolViewModel } from '@svc/sdk'
import type { ReactNode } from 'react'
import { isSafeAddress, Markdown } from '../../../markdown/markdown.tsx'
import { DiffLines } from '../../../ui/diff-lines.tsx'
import { AnsiText } from './ansi-text.tsx'
import { readShellOutput } from './read-shell-output.ts'
import { TodoList } from './todo-list.tsx'

interface Described {
  readonly title: string
  /** A word at the end of the line. */
  readonly note?: string | undefined
  readonly detail: ReactNode
}

/** What a tool call shows, by its kind. */
export function describeTool(tool: ToolView, view: ToolViewModel): Described {
  switch (view.kind) {
    case 'shell': {
      const output = readShellOutput(tool.outputText) ?? view.stdout
      const exit = view.exitCode ? `exit ${view.exitCode}` : undefined
      return { title: `$ ${view.command}`, note: exit, detail: <Shell command={view.command} output={output} /> }
    }
    case 'file-read':
      return { title: `read ${view.path}`, detail: view.preview ? <Output text={view.preview} /> : null }
    case 'file-write':
      return { title: `write ${view.path}`, detail: view.preview ? <Output text={view.preview} /> : null }
    case 'file-edit': {
      const added = view.diff?.filter(({ type }) => type === 'added').length ?? 0
      const removed = view.diff?.filter(({ type }) => type === 'removed').length ?? 0
      const note = view.diff ? `+${added} −${removed}` : undefined
      return { title: `edit ${view.path}`, note, detail: view.diff ? <DiffLines lines={view.diff} /> : null }
    }
    case 'search': {
      const count = view.matches?.length ?? 0
      const note = tool.status === 'done' ? `${count} ${count === 1 ? 'match' : 'matches'}` : undefined
      return { title: `search ${view.pattern}`, note, detail: <Matches matches={view.matches ?? []} /> }
    }
    case 'todo': {
      const done = view.items.filter(({ status }) => status === 'completed').length
      return { title: 'plan', note: `${done} of ${view.items.length}`, detail: <TodoList items={view.items} /> }
    }
    case 'question':
      return {
        title: `asked ${view.questions[0]?.question ?? ''}`,
        note: view.answers ? 'answered' : undefined,
        detail: <Answers view={view} />,
      }
    case 'task':
      return {
        title: `task ${view.description}`,
        note: view.agent,
        detail: <Task prompt={textOf(tool.input?.prompt)} result={tool.outputText} />,
      }
    case 'web-search':
      return {
        title: `web search ${view.query}`,
        detail: <WebResults answer={view.answer ?? view.error} results={view.results ?? []} />,
      }
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

type View<K extends ToolViewModel['kind']> = Extract<ToolViewModel, { kind: K }>

const textOf = (value: unknown) => (typeof value === 'string' ? value : '')

function Output({ text }: { readonly text: string }) {
  return (
    <pre
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll it
      tabIndex={0}
      className="max-h-80 overflow-auto font-mono text-xs break-words whitespace-pre-wrap"
    >
      <AnsiText text={text} />
    </pre>
  )
}

function Shell({ command, output }: { readonly command: string; readonly output: string | undefined }) {
  return (
    <div className="flex flex-col gap-2">
      {(command.length > 60 || command.includes('\n')) && (
        <pre className="font-mono text-xs break-words whitespace-pre-wrap text-ink-soft">$ {command}</pre>
      )}
      {output ? <Output text={output} /> : <p className="text-ink-faint">It printed nothing.</p>}
    </div>
  )
}

function Matches({ matches }: { readonly matches: NonNullable<View<'search'>['matches']> }) {
  if (matches.length === 0) return <p className="text-ink-faint">Nothing was found.</p>
  return (
    <ul className="flex max-h-80 flex-col gap-1 overflow-y-auto font-mono text-xs">
      {matches.map(({ path, line, content }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: matches never change once they are there
        <li key={index} className="truncate">
          {path}
          {line !== undefined && <span className="text-ink-faint">:{line}</span>} {content}
        </li>
      ))}
    </ul>
  )
}

function Answers({ view: { questions, answers } }: { readonly view: View<'question'> }) {
  return (
    <dl className="flex flex-col gap-2">
      {questions.map(({ question }, at) => (
        <div key={question}>
          <dt className="text-ink-soft">{question}</dt>
          <dd className="font-medium break-words">{answers?.[at]?.join(', ') ?? 'Waits for an answer.'}</dd>
        </div>
      ))}
    </dl>
  )
}

function Task({ prompt, result }: { readonly prompt: string; readonly result: string | undefined }) {
  return (
    <div className="flex max-h-96 flex-col gap-3 overflow-y-auto">
      {prompt !== '' && <p className="break-words whitespace-pre-wrap text-ink-soft">{prompt}</p>}
      {result ? <Markdown text={result} /> : <p className="text-ink-faint">It has not answered yet.</p>}
    </div>
  )
}

interface WebResultsProps {
  readonly answer: string | undefined
  readonly results: NonNullable<View<'web-search'>['results']>
}

function WebResults({ answer, results }: WebResultsProps) {
  return (
    <div className="flex flex-col gap-2">
      {answer && <p className="break-words">{answer}</p>}
      <ul className="flex flex-col gap-2">
        {results.map(({ title, url, snippet }) => (
          <li key={url}>
            {isSafeAddress(url) ? (
              <a
                href={url}
                target="_blank"
                rel="noopener noreferrer nofollow"
                className="break-words text-accent underline"
              >
                {title || url}
              </a>
            ) : (
              <span className="font-medium">{title}</span>
            )}
            {snippet && <p className="break-words text-ink-soft">{snippet}</p>}
          </li>
        ))}
      </ul>
    </div>
  )
}
