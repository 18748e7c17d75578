import { takeStart } from '../text/cut-text.ts'
import { getDirectory, getFilename, getFileWithDir } from '../text/split-path.ts'
import { firstText, lookUp, toList, toRecord, toText } from '../wire/read-value.ts'
import { TOOL_CALLS } from './tool-call-table.ts'

/** How a tool call is shown in one line. */
export interface ToolCallInfo {
  readonly icon: string
  readonly title: string
  readonly subtitle?: string
}

const OC_PREFIX = 'oc-'
const TITLE_DETAIL = /^(.+) \((\w+)\|(\w+)\)$/
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
  const [icon = '', title = '', source = ''] = row
  const fields = toRecord(input)
  const subtitle = readSubtitle(source, fields)
  return { icon, title: readTitle(title, fields), ...(subtitle && { subtitle }) }
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

function findRow(tool: unknown): readonly string[] | undefined {
  const name = toText(tool)
  const exact = lookUp(TOOL_CALLS, name)
  if (exact) return exact
  const hasPrefix = name.startsWith(OC_PREFIX)
  const bare = hasPrefix ? name.slice(OC_PREFIX.length) : name
  const isMixed = bare.includes('-') && bare.includes('_')
  const row = isMixed ? undefined : lookUp(TOOL_CALLS, bare.replaceAll('-', '_'))
  const spellings = row?.[3]
  return spellings === 'oc' || (spellings === '-' && !hasPrefix) ? row : undefined
}

function readTitle(title: string, fields: Record<string, unknown>): string {
  if (title === 'Presentation') return lookUp(SLIDE_TITLES, toText(fields.action)) ?? title
  const [, name, field = '', otherwise] = TITLE_DETAIL.exec(title) ?? []
  return name === undefined ? title : `${name} (${firstText(fields[field]) ?? otherwise})`
}

function readSubtitle(source: string, fields: Record<string, unknown>): string | undefined {
  const [origin = '', otherwise] = source.split('|')
  const [names = '', form] = origin.split(':')
  const text = firstText(...names.split(',').map((name) => fields[name]))
  switch (form) {
    case 'file':
      return getFilename(text)
    case 'directory':
      return getDirectory(text)
    case 'folder':
      return getFileWithDir(text)
    case 'tail':
      return text?.slice(-12) ?? otherwise
    case 'first':
      return firstText(text ?? toList(fields[names])[0])
        ?.split(',', 1)[0]
        ?.trim()
    case '40':
      return text && takeStart(text, 40)
    case '60':
      return firstText(fields.description) ?? takeStart(toText(fields.prompt), 60)
    case 'files':
      return countFiles(toList(fields.files).length)
    case 'card':
      return getAgentCardLabel(fields)
    default:
      return text ?? otherwise
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
