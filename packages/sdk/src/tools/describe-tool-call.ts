import { takeStart } from '../text/cut-text.ts'
import { getDirectory, getFilename, getFileWithDir } from '../text/split-path.ts'
import { readTable } from '../wire/read-table.ts'
import { dropUndefined, firstText, toList, toRecord, toText } from '../wire/read-value.ts'
import { humanize } from './label-tool.ts'
import { normalizeToolName } from './normalize-tool-name.ts'
import { TOOL_CALLS } from './tool-call-table.ts'

/** How a tool call is shown in one line. */
export interface ToolCallInfo {
  readonly icon: string
  readonly title: string
  readonly subtitle?: string
}

const TITLE_DETAIL = /(\w+)\|(\w+)/
const SLIDE_TITLES = /* @__PURE__ */ readTable(`create_slide;Create Slide
list_slides;List Slides
preview;Preview
export_pdf;Export PDF
export_pptx;Export PPTX`)

/**
 * Icon, title and subtitle of one tool call. Never throws: an unknown tool is shown by its name.
 *
 * @example
 * getToolInfo('read', { filePath: '/w/src/a.ts' }) // { icon: 'glasses', title: 'Read', subtitle: 'a.ts' }
 * getToolInfo('mystery') // { icon: 'cpu', title: 'mystery' }
 */
export function getToolInfo(tool: string, input?: Readonly<Record<string, unknown>> | null): ToolCallInfo {
  const name = toText(tool)
  const row = findRow(name)
  if (!row) return { icon: 'cpu', title: name }
  const [named = '', icon = '', source = ''] = row
  const title = named || humanize(normalizeToolName(name))
  const fields = toRecord(input)
  return dropUndefined({
    icon,
    title:
      (title === 'Presentation' && SLIDE_TITLES.get(toText(fields.action))?.[0]) ||
      title.replace(TITLE_DETAIL, (_, field, otherwise) => firstText(fields[field]) ?? otherwise),
    subtitle: firstText(readSubtitle(source, fields)),
  })
}

/**
 * One line for the card of a delegated task: its description, title, message or prompt, whichever comes first.
 *
 * @example
 * getAgentCardLabel({ prompt: '\n  Run the tests\nand report' }) // 'Run the tests'
 */
export function getAgentCardLabel(input?: Readonly<Record<string, unknown>> | null): string {
  const fields = toRecord(input)
  return (
    readFirstLine(fields.description, 120) ??
    readFirstLine(fields.title, 80) ??
    readFirstLine(fields.message, 120) ??
    readFirstLine(fields.prompt, 120) ??
    (firstText(fields.agent_id) ? `Agent ${fields.agent_id}` : 'Worker task')
  )
}

/** A row by a name as it stands, with dashes for underscores, or after the prefix `oc-`, as its spellings allow. */
function findRow(name: string): readonly string[] | undefined {
  const bare = name.replace(/^oc-/, '')
  const isMixed = bare.includes('-') && bare.includes('_')
  const row = TOOL_CALLS.get(isMixed ? '' : bare.replaceAll('-', '_'))
  const isAllowed = row?.[3] === 'oc' || (row?.[3] === '-' && bare === name)
  return TOOL_CALLS.get(name) ?? (isAllowed ? row : undefined)
}

function readSubtitle(source: string, fields: Record<string, unknown>): string | undefined {
  const [, names = '', form, otherwise] = /^([^:|]*):?([^|]*)\|?(.*)$/.exec(source) ?? []
  const text = firstText(...names.split(',').map((name) => fields[name]))
  const count = toList(fields.files).length
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
      return toText(text ?? toList(fields[names])[0])
        .split(',', 1)[0]
        ?.trim()
    case '40':
      return text && takeStart(text, 40)
    case '60':
      return firstText(fields.description) ?? takeStart(toText(fields.prompt), 60)
    case 'files':
      return count > 0 ? `${count} file${count > 1 ? 's' : ''}` : undefined
    case 'card':
      return getAgentCardLabel(fields)
    default:
      return text ?? otherwise
  }
}

function readFirstLine(value: unknown, limit: number): string | undefined {
  const line = toText(value)
    .trimStart()
    .split(/[\r\n]/, 1)[0]
    ?.trimEnd()
  return firstText(line && (line.length > limit ? `${takeStart(line, limit)}…` : line))
}
