import { isAssistant, readParts } from '../turns/read-message.ts'
import type { MessageLike, PartLike } from '../wire/message-types.ts'
import { lookUp, toList, toRecord, toText } from '../wire/read-value.ts'

const WORKING = 'Working…'
const DELEGATING = 'Delegating to an agent…'
const UPDATING_TASKS = 'Updating tasks…'
const MESSAGING = 'Messaging an agent…'
const STARTING_TASK = 'Starting a task…'
const SEARCHING_FILES = 'Searching files…'
const FETCHING = 'Fetching a page…'
const SEARCHING_WEB = 'Searching the web…'
const SHOWING = 'Showing output…'
const EDITING = 'Editing files…'
const TRIMMING = 'Trimming context…'

const STATUS_OF_TOOL: Readonly<Record<string, string>> = {
  task: DELEGATING,
  session_spawn: DELEGATING,
  session_start_background: DELEGATING,
  agent_spawn: DELEGATING,
  agent_task: DELEGATING,
  agent_task_update: UPDATING_TASKS,
  task_update: UPDATING_TASKS,
  task_done: UPDATING_TASKS,
  agent_message: MESSAGING,
  agent_task_message: MESSAGING,
  task_message: MESSAGING,
  task_create: STARTING_TASK,
  task_start: STARTING_TASK,
  task_list: 'Listing tasks…',
  todowrite: 'Planning…',
  todoread: 'Planning…',
  read: 'Reading…',
  list: SEARCHING_FILES,
  grep: SEARCHING_FILES,
  glob: SEARCHING_FILES,
  webfetch: FETCHING,
  'scrape-webpage': FETCHING,
  websearch: SEARCHING_WEB,
  'web-search': SEARCHING_WEB,
  web_search: SEARCHING_WEB,
  'image-search': 'Searching images…',
  'image-gen': 'Generating an image…',
  'video-gen': 'Generating a video…',
  'presentation-gen': 'Building slides…',
  show: SHOWING,
  'show-user': SHOWING,
  edit: EDITING,
  write: EDITING,
  morph_edit: EDITING,
  apply_patch: EDITING,
  bash: 'Running a command…',
  prune: TRIMMING,
  distill: TRIMMING,
  compress: TRIMMING,
  context_info: 'Reading context…',
}

/** Families whose dash spelling means the same tool. */
const DASHED_FAMILY = /^(?:session|agent|task)-/
/** Tools whose running call is described by what the child session does. */
const DELEGATES: readonly string[] = ['task', 'agent_task', 'task_create', 'task_start']
/** A heading of a thought is short; the search for its end stops here. */
const HEADING_LIMIT_CHARS = 400

/**
 * What a turn is doing right now, in a few words: the newest part that says something wins. While a delegated task runs
 * and `childMessages` are given, it is what the child is doing.
 *
 * @example
 * getTurnStatus([{ part: { type: 'tool', tool: 'read', state: { status: 'running' } } }]) // 'Reading…'
 * getTurnStatus([]) // 'Working…'
 */
export function getTurnStatus<P extends PartLike, M extends MessageLike>(
  parts: readonly { readonly part: P }[],
  childMessages?: readonly M[] | null,
): string {
  const entries = toList(parts)
  const children = toList(childMessages)
  for (let at = entries.length - 1; at >= 0; at--) {
    const { part } = toRecord(entries[at])
    if (children.length > 0 && isRunningDelegate(part)) return findNewestStatus(children) ?? DELEGATING
    const status = readPartStatus(part)
    if (status !== undefined) return status
  }
  return WORKING
}

/**
 * What one part is doing, or undefined when it says nothing about the work.
 *
 * @example
 * computeStatusFromPart({ type: 'reasoning', text: '**Plan** first' }) // 'Thinking: Plan…'
 */
export function computeStatusFromPart<P extends PartLike>(part: P | null | undefined): string | undefined {
  return readPartStatus(part)
}

function readPartStatus(part: unknown): string | undefined {
  const { type, tool, text } = toRecord(part)
  if (type === 'tool') return lookUp(STATUS_OF_TOOL, nameOfTool(tool)) ?? WORKING
  if (type === 'reasoning') return describeThought(toText(text))
  return type === 'text' ? 'Writing…' : undefined
}

function nameOfTool(tool: unknown): string {
  const name = toText(tool)
  return DASHED_FAMILY.test(name) ? name.replaceAll('-', '_') : name
}

function describeThought(text: string): string {
  const start = text.slice(0, HEADING_LIMIT_CHARS).trimStart()
  const end = start.startsWith('**') ? start.indexOf('**', 2) : -1
  const heading = end > 0 ? start.slice(2, end).trim() : ''
  return heading === '' ? 'Thinking…' : `Thinking: ${heading}…`
}

function isRunningDelegate(part: unknown): boolean {
  const { type, tool, state } = toRecord(part)
  return type === 'tool' && DELEGATES.includes(nameOfTool(tool)) && toRecord(state).status === 'running'
}

function findNewestStatus(messages: readonly unknown[]): string | undefined {
  for (let at = messages.length - 1; at >= 0; at--) {
    if (!isAssistant(messages[at])) continue
    const status = findLastStatus(readParts(messages[at]))
    if (status !== undefined) return status
  }
  return undefined
}

function findLastStatus(parts: readonly unknown[]): string | undefined {
  for (let at = parts.length - 1; at >= 0; at--) {
    const status = readPartStatus(parts[at])
    if (status !== undefined) return status
  }
  return undefined
}
