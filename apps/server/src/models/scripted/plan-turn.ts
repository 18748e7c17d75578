import { type ChatMessage, type ChatRequest, textOf } from './chat-request.ts'
import { chooseTool, type ToolUse } from './choose-tool.ts'
import { defaultPlan, firstLine } from './default-plan.ts'
import { findScript, parseScript, type Step, withoutScript } from './parse-script.ts'

/** What the model answers to one request. */
export interface Turn {
  /** What happens before the answer ends, in order. */
  readonly pieces: readonly Piece[]
  readonly call: (ToolUse & { readonly id: string }) | undefined
  /** The answer is this HTTP error instead. */
  readonly failStatus: number | undefined
}

export type Piece =
  | { readonly kind: 'text' | 'reasoning'; readonly text: string }
  | { readonly kind: 'pause'; readonly waitMs: number }

/**
 * Follows the script in the last prompt, or the default plan. Nothing is remembered between requests: how far the plan
 * got is read from the ids of the tool calls that the conversation already holds, so a retry answers the same again.
 */
export function planTurn(request: ChatRequest): Turn {
  const { messages } = request
  const tools = request.tools ?? []
  const promptAt = findPrompt(messages)
  const prompt = promptAt < 0 ? '' : textOf(messages[promptAt] ?? { role: 'user' })
  if (tools.length === 0 && asksForTitle(messages)) return say(titleOf(prompt))

  const since = messages.slice(promptAt + 1)
  const turn = messages.slice(0, promptAt + 1).filter(({ role }) => role === 'user').length
  const script = findScript(prompt)
  const answers = since.filter(({ role }) => role === 'tool').map(textOf)
  const steps = script === undefined ? defaultPlan(prompt, answers) : parseScript(script)
  return follow(steps, { from: stepsDone(since, turn), turn, tools, result: answers.at(-1) ?? '' })
}

interface Progress {
  readonly from: number
  readonly turn: number
  readonly tools: NonNullable<ChatRequest['tools']>
  readonly result: string
}

/** Everything up to the next tool call is one answer. */
function follow(steps: readonly Step[], { from, turn, tools, result }: Progress): Turn {
  const pieces: Piece[] = []
  const add = (kind: 'text' | 'reasoning', text: string) => {
    if (text !== '') pieces.push({ kind, text: `${text.replaceAll('{result}', result.trim().slice(0, 2_000))}\n` })
  }
  for (const [index, step] of steps.entries()) {
    if (index < from) continue
    if (step.kind === 'say') add('text', step.text)
    else if (step.kind === 'think') add('reasoning', step.text)
    else if (step.kind === 'wait') pieces.push({ kind: 'pause', waitMs: step.waitMs })
    else if (step.kind === 'fail') return { pieces: [], call: undefined, failStatus: step.status }
    else if (step.kind === 'finish') {
      add('text', step.text || 'Done.')
      break
    } else {
      const use = chooseTool(step, tools)
      if (use) return { pieces, call: { ...use, id: `call_${turn}_${index}` }, failStatus: undefined }
      add('text', describeUndone(step))
    }
  }
  return { pieces, call: undefined, failStatus: undefined }
}

/** The last thing a person said. What a runtime adds around it in messages of its own is not a prompt. */
function findPrompt(messages: readonly ChatMessage[]): number {
  return messages.findLastIndex((message) => {
    if (message.role !== 'user') return false
    const text = textOf(message).trim()
    return text !== '' && !/^<system-reminder>[\s\S]*<\/system-reminder>$/.test(text)
  })
}

function stepsDone(since: readonly ChatMessage[], turn: number): number {
  const done = since.flatMap(({ tool_calls }) => tool_calls ?? []).map(({ id }) => /^call_(\d+)_(\d+)$/.exec(id))
  const own = done.filter((match) => match?.[1] === String(turn)).map((match) => Number(match?.[2]) + 1)
  return Math.max(0, ...own)
}

function asksForTitle(messages: readonly ChatMessage[]): boolean {
  return messages.some((message) => message.role === 'system' && /\btitle\b/i.test(textOf(message)))
}

function titleOf(prompt: string): string {
  return firstLine(withoutScript(prompt)) || 'Scripted session'
}

function say(text: string): Turn {
  return { pieces: [{ kind: 'text', text }], call: undefined, failStatus: undefined }
}

function describeUndone(step: Step): string {
  if (step.kind === 'ask') return `${step.question} (${step.options.join(', ')})`
  return `(No tool is offered here for the step \`${step.kind}\`.)`
}
