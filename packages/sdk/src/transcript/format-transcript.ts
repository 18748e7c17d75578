import { formatDuration } from '../text/format-duration.ts'
import type { ClassifiedPart } from '../turns/classify-part.ts'
import { classifyTurn } from '../turns/classify-turn.ts'
import { readInfo } from '../turns/read-message.ts'
import type { MessageLike } from '../wire/message-types.ts'
import { attempt, printJson } from '../wire/parse-json.ts'
import { dropUndefined, firstText, readFinite, toList, toRecord, toText } from '../wire/read-value.ts'

/** What a transcript says about its session. */
export interface TranscriptSession {
  readonly id?: string | undefined
  readonly title?: string | null | undefined
  readonly time?: { readonly created?: number; readonly updated?: number } | undefined
}

/** What a transcript includes beside the conversation; everything is off unless asked for. */
export interface TranscriptOptions {
  /** Include what the model thought. */
  readonly reasoning?: boolean
  /** Include the input and the output of tool calls, not only their titles. */
  readonly toolDetails?: boolean
  /** Name agent, model and duration of each answer. */
  readonly metadata?: boolean
}

/**
 * A conversation as Markdown, one section per message. Synthetic text and empty messages are left out.
 *
 * @example
 * const markdown = formatTranscript({ id: 'ses_1', title: 'Fix the tests' }, messages, { toolDetails: true })
 */
export function formatTranscript<M extends MessageLike>(
  session: TranscriptSession | null | undefined,
  messages: readonly M[],
  options: TranscriptOptions = {},
): string {
  const chosen: TranscriptOptions = toRecord(options)
  const sections = toList(messages).flatMap((message) => formatMessage(message, chosen))
  return `${[formatHeader(session), ...sections].join('\n\n---\n\n')}\n`
}

/**
 * The file name of a session's transcript.
 *
 * @example
 * getTranscriptFilename('ses_1') // 'session-ses_1.md'
 */
export function getTranscriptFilename(sessionId: string): string {
  return `session-${toText(sessionId)}.md`
}

function formatHeader(session: unknown): string {
  const { id, title, time } = toRecord(session)
  const { created, updated } = toRecord(time)
  const facts = { Session: firstText(id), Created: formatTime(created), Updated: formatTime(updated) }
  const lines = Object.entries(dropUndefined(facts)).map(([name, value]) => `**${name}:** ${value}`)
  return [`# ${firstText(title) ?? 'Session'}`, ...lines].join('\n\n')
}

function formatMessage(message: MessageLike, options: TranscriptOptions): string[] {
  const turn = classifyTurn(message)
  const blocks = turn.parts.flatMap((part) => formatPart(part, options) || [])
  if (turn.error) blocks.push(`**Error:** ${turn.error.message}`)
  return blocks.length > 0 ? [[formatHeading(message, options), ...blocks].join('\n\n')] : []
}

function formatHeading(message: MessageLike, options: TranscriptOptions): string {
  const info = readInfo(message)
  if (info.role === 'user') return '## User'
  const time = toRecord(info.time)
  const durationMs = (readFinite(time.completed) ?? Number.NaN) - (readFinite(time.created) ?? Number.NaN)
  const facts = [info.agent, info.modelID, formatDuration(durationMs)].filter(toText).join(' · ')
  return options.metadata === true && facts ? `## Assistant (${facts})` : '## Assistant'
}

/** Nothing for a part that a reader does not see. */
function formatPart(part: ClassifiedPart, options: TranscriptOptions): string | false {
  switch (part.kind) {
    case 'text':
      return !part.synthetic && part.text.trim()
    case 'reasoning':
      return options.reasoning === true && quote(part.text.trim())
    case 'tool':
      return formatTool(part.tool, options)
    case 'file':
      return `**File:** ${part.filename ?? part.mime}`
    case 'subtask':
      return `**Task (${part.agent}):** ${part.description}`
    case 'patch':
      return part.fileCount > 0 && `**Changed:** ${part.files.join(', ')}`
    default:
      return false
  }
}

function formatTool(
  { name, title, status, input, error, output }: Extract<ClassifiedPart, { kind: 'tool' }>['tool'],
  options: TranscriptOptions,
): string {
  const failed = status === 'error'
  const blocks = [`**Tool:** ${name} — ${title}${failed ? ' (failed)' : ''}`]
  if (options.toolDetails === true) {
    blocks.push(fence(input && Object.keys(input).length > 0 && printJson(input), 'json'))
    blocks.push(fence(failed ? (error ?? output) : output, ''))
  }
  return blocks.filter(Boolean).join('\n\n')
}

/** A code block whose fence is longer than any row of backticks inside it; nothing for no text. */
function fence(text: string | false | undefined, language: string): string {
  if (!text) return ''
  let mark = '```'
  for (const [row] of text.matchAll(/`{3,}/g)) if (row.length >= mark.length) mark = `${row}\``
  return `${mark}${language}\n${text}\n${mark}`
}

function formatTime(timeMs: unknown): string | undefined {
  return attempt(() => new Date(readFinite(timeMs) ?? Number.NaN).toISOString())
}

function quote(text: string): string {
  return text && `> ${text.replaceAll('\n', '\n> ')}`
}
