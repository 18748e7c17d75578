import type { PlaygroundAnswer } from '@svc/sdk/react'
import { Markdown } from '../../markdown/markdown.tsx'
import { Badge, type Tone } from '../../ui/badge.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { ProblemNotice } from '../../ui/notice.tsx'
import { formatCount, formatDollars } from './format-usage.ts'
import { describePrice } from './route-preview.tsx'

interface PlaygroundColumnProps {
  readonly answer: PlaygroundAnswer
  readonly info: { readonly cost?: { readonly input: number; readonly output: number } | undefined } | undefined
}

const states: Readonly<Record<PlaygroundAnswer['state'], { readonly tone: Tone; readonly label: string }>> = {
  waiting: { tone: 'plain', label: 'asked' },
  answering: { tone: 'accent', label: 'answering' },
  done: { tone: 'good', label: 'done' },
  failed: { tone: 'bad', label: 'failed' },
  stopped: { tone: 'warn', label: 'stopped' },
}

/** What one model says, and what it took. */
export function PlaygroundColumn({ answer, info }: PlaygroundColumnProps) {
  const { tone, label } = states[answer.state]
  return (
    <article
      aria-label={answer.model}
      aria-busy={answer.state === 'answering'}
      className="flex min-w-0 flex-col gap-3 rounded-lg border border-line bg-surface p-4"
    >
      <header className="flex items-start gap-2">
        <div className="min-w-0 flex-1">
          <h2 className="font-mono text-xs font-medium break-all">{answer.model}</h2>
          {answer.answeredBy && answer.answeredBy !== answer.model && (
            <p className="text-xs text-ink-soft">answered by {answer.answeredBy}</p>
          )}
        </div>
        <Badge tone={tone}>{label}</Badge>
      </header>
      {answer.error && <ProblemNotice error={answer.error} />}
      <div className="min-h-16 flex-1 break-words">
        {answer.text === '' ? (
          answer.state === 'waiting' && <span className="text-ink-faint">…</span>
        ) : (
          <Markdown text={answer.text} />
        )}
      </div>
      <footer className="flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-ink-soft tabular-nums">
        <span className="min-w-0 flex-1 basis-40">{describeEffort(answer, info?.cost)}</span>
        {answer.text !== '' && <CopyButton text={answer.text} />}
      </footer>
    </article>
  )
}

function describeEffort(
  { firstWordMs, totalMs, inputTokens, outputTokens }: PlaygroundAnswer,
  cost: { readonly input: number; readonly output: number } | undefined,
): string {
  const parts = [
    firstWordMs !== undefined && `first word after ${formatCount(firstWordMs)} ms`,
    totalMs !== undefined && `${formatCount(totalMs)} ms in all`,
    inputTokens !== undefined && `${formatCount(inputTokens)} tokens in`,
    outputTokens !== undefined && `${formatCount(outputTokens)} out`,
    inputTokens !== undefined && outputTokens !== undefined && cost
      ? formatDollars((inputTokens * cost.input + outputTokens * cost.output) / 1e6)
      : describePrice(cost),
  ]
  return parts.filter(Boolean).join(', ')
}
