import { formatDuration } from '../text/format-duration.ts'
import type { ClassifiedPart } from '../turns/classify-part.ts'
import { classifyTurn } from '../turns/classify-turn.ts'
import { readInfo, readRole } from '../turns/read-message.ts'
import type { MessageLike } from '../wire/message-types.ts'
import { printJson } from '../wire/parse-json.ts'
import { firstText, listOf, readFinite, toRecord, toText } from '../wire/read-value.ts'

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
  const sections = listOf(messages).flatMap((message) => formatMessage(message, chosen) ?? [])
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
  return [
    `# ${firstText(title) ?? 'Session'}`,
    ...describeLine('Session', firstText(id)),
    ...describeLine('Created', formatTime(created)),
    ...describeLine('Updated', formatTime(updated)),
  ].join('\n\n')
}

function formatMessage(message: MessageLike, options: TranscriptOptions): string | undefined {
  const { parts, error } = classifyTurn(message)
  const blocks = parts.flatMap((part) => formatPart(part, options) ?? [])
  if (error) blocks.push(`**Error:** ${error.message}`)
  return blocks.length === 0 ? undefined : [formatHeading(message, options), ...blocks].join('\n\n')
}

function formatHeading(message: MessageLike, options: TranscriptOptions): string {
  const info = readInfo(message)
  if (readRole(message) === 'user') return '## User'
  if (options.metadata !== true) return '## Assistant'
  const { created, completed } = toRecord(info.time)
  const durationMs = (readFinite(completed) ?? Number.NaN) - (readFinite(created) ?? Number.NaN)
  const facts = [firstText(info.agent), firstText(info.modelID), firstText(formatDuration(durationMs))]
  const known = facts.filter((fact) => fact !== undefined)
  return known.length === 0 ? '## Assistant' : `## Assistant (${known.join(' · ')})`
}

function formatPart(part: ClassifiedPart, options: TranscriptOptions): string | undefined {
  switch (part.kind) {
    case 'text':
      return part.synthetic ? undefined : firstText(part.text.trim())
    case 'reasoning':
      return options.reasoning === true && part.text.trim() !== '' ? quote(part.text.trim()) : undefined
    case 'tool':
      return formatTool(part.tool, options)
    case 'file':
      return `**File:** ${part.filename ?? part.mime}`
    case 'subtask':
      return `**Task (${part.agent}):** ${part.description}`
    case 'patch':
      return part.fileCount === 0 ? undefined : `**Changed:** ${part.files.join(', ')}`
    default:
      return undefined
  }
}

function formatTool(tool: Extract<ClassifiedPart, { kind: 'tool' }>['tool'], options: TranscriptOptions): string {
  const blocks = [`**Tool:** ${tool.name} — ${tool.title}${tool.status === 'error' ? ' (failed)' : ''}`]
  if (options.toolDetails !== true) return blocks.join('')
  const input = tool.input && Object.keys(tool.input).length > 0 ? printJson(tool.input) : undefined
  if (input !== undefined) blocks.push(fence(input, 'json'))
  const result = tool.status === 'error' ? (tool.error ?? tool.output) : tool.output
  if (result) blocks.push(fence(result, ''))
  return blocks.join('\n\n')
}

/** A code block whose fence is longer than any row of backticks inside it. */
function fence(text: string, language: string): string {
  let longest = 2
  for (const [row] of text.matchAll(/`{3,}/g)) longest = Math.max(longest, row.length)
  const mark = '`'.repeat(longest + 1)
  return `${mark}${language}\n${text}\n${mark}`
}

function quote(text: string): string {
  return `> ${text.replaceAll('\n', '\n> ')}`
}

function describeLine(name: string, value: string | undefined): string[] {
  return value === undefined ? [] : [`**${name}:** ${value}`]
}

function formatTime(timeMs: unknown): string | undefined {
  const date = new Date(readFinite(timeMs) ?? Number.NaN)
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString()
}
