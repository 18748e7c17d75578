import { takeStart } from '../text/cut-text.ts'
import { getDirectory, getFilename, getFileWithDir } from '../text/split-path.ts'
import { firstText, lookUp, readString, toList, toRecord, toText } from '../wire/read-value.ts'
import { TOOL_CALLS, type ToolCallRow } from './tool-call-table.ts'

/** How a tool call is shown in one line. */
export interface ToolCallInfo {
  readonly icon: string
  readonly title: string
  readonly subtitle?: string
}

const OC_PREFIX = 'oc-'
const SLIDE_TITLES: Readonly<Record<string, string>> = {
  create_slide: 'Create Slide',
  list_slides: 'List Slides',
  preview: 'Preview',
  export_pdf: 'Export PDF',
  export_pptx: 'Export PPTX',
}

/**
 * Icon, title and subtitle of one tool call. Never throws: an unknown tool is shown by its name.
 *
 * @example
 * getToolInfo('read', { filePath: '/w/src/a.ts' }) // { icon: 'glasses', title: 'Read', subtitle: 'a.ts' }
 * getToolInfo('mystery') // { icon: 'cpu', title: 'mystery' }
 */
export function getToolInfo(tool: string, input?: Readonly<Record<string, unknown>> | null): ToolCallInfo {
  const row = findRow(tool)
  if (row === undefined) return { icon: 'cpu', title: toText(tool) }
  const fields = toRecord(input)
  const subtitle = readSubtitle(row, fields)
  return { icon: row.icon, title: readTitle(row, fields), ...(subtitle && { subtitle }) }
}

/**
 * One line for the card of a delegated task: its description, title, message or prompt, whichever comes first.
 *
 * @example
 * getAgentCardLabel({ prompt: '\n  Run the tests\nand report' }) // 'Run the tests'
 */
export function getAgentCardLabel(input?: Readonly<Record<string, unknown>> | null): string {
  const { description, title, message, prompt, agent_id: agentId } = toRecord(input)
  const label =
    readFirstLine(description, 120) ??
    readFirstLine(title, 80) ??
    readFirstLine(message, 120) ??
    readFirstLine(prompt, 120)
  if (label !== undefined) return label
  const id = firstText(agentId)
  return id === undefined ? 'Worker task' : `Agent ${id}`
}

function findRow(tool: unknown): ToolCallRow | undefined {
  const name = toText(tool)
  const exact = lookUp(TOOL_CALLS, name)
  if (exact) return exact
  const hasPrefix = name.startsWith(OC_PREFIX)
  const bare = hasPrefix ? name.slice(OC_PREFIX.length) : name
  const isMixed = bare.includes('-') && bare.includes('_')
  const row = isMixed ? undefined : lookUp(TOOL_CALLS, bare.replaceAll('-', '_'))
  const allowed = hasPrefix ? 'oc' : 'dash'
  return row?.spellings === 'oc' || row?.spellings === allowed ? row : undefined
}

function readTitle(row: ToolCallRow, fields: Record<string, unknown>): string {
  if (row.title === 'slides') return lookUp(SLIDE_TITLES, toText(fields.action)) ?? 'Presentation'
  if (row.about === undefined) return row.title
  return `${row.title} (${firstText(fields[row.about[0]]) ?? row.about[1]})`
}

function readSubtitle(row: ToolCallRow, fields: Record<string, unknown>): string | undefined {
  const { from = [], as } = row
  const text = firstText(...from.map((field) => fields[field]))
  switch (as) {
    case 'file':
      return getFilename(text)
    case 'directory':
      return getDirectory(text)
    case 'file-with-folder':
      return getFileWithDir(text)
    case 'tail':
      return text?.slice(-12) ?? row.otherwise
    case 'first-item':
      return firstText(text ?? toList(fields[from[0] ?? ''])[0])
        ?.split(',', 1)[0]
        ?.trim()
    case 'start-40':
      return text && takeStart(text, 40)
    case 'description-or-prompt':
      return firstText(fields.description) ?? (readString(fields.prompt) && takeStart(toText(fields.prompt), 60))
    case 'file-count':
      return countFiles(toList(fields.files).length)
    case 'card':
      return getAgentCardLabel(fields)
    default:
      return text ?? row.otherwise
  }
}

function countFiles(count: number): string | undefined {
  if (count === 0) return undefined
  return count === 1 ? '1 file' : `${count} files`
}

function readFirstLine(value: unknown, limit: number): string | undefined {
  const line = toText(value)
    .trimStart()
    .split(/[\r\n]/, 1)[0]
    ?.trimEnd()
  if (!line) return undefined
  return line.length > limit ? `${takeStart(line, limit)}…` : line
}
