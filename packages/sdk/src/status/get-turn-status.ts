import { isAssistant, readParts } from '../turns/read-message.ts'
import type { MessageLike, PartLike } from '../wire/message-types.ts'
import { readTable } from '../wire/read-table.ts'
import { findNewest, toList, toRecord, toText } from '../wire/read-value.ts'

const WORKING = 'Working…'
const DELEGATING = 'Delegating to an agent…'

/** Names of tools, and what they are doing. */
const STATUS_OF_TOOL =
  /* @__PURE__ */ readTable(`task session_spawn session_start_background agent_spawn agent_task;Delegating to an agent
agent_task_update task_update task_done;Updating tasks
agent_message agent_task_message task_message;Messaging an agent
task_create task_start;Starting a task
task_list;Listing tasks
todowrite todoread;Planning
read;Reading
list grep glob;Searching files
webfetch scrape-webpage;Fetching a page
websearch web-search web_search;Searching the web
image-search;Searching images
image-gen;Generating an image
video-gen;Generating a video
presentation-gen;Building slides
show show-user;Showing output
edit write morph_edit apply_patch;Editing files
bash;Running a command
prune distill compress;Trimming context
context_info;Reading context`)

/** Families whose dash spelling means the same tool. */
const DASHED_FAMILY = /^(?:session|agent|task)-/
/** Tools whose running call is described by what the child session does. */
const DELEGATE = /^(task|agent_task|task_create|task_start)$/
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
  const children = toList<unknown>(childMessages)
  const status = findNewest(toList<unknown>(parts), (entry) => {
    const { part } = toRecord(entry)
    if (children.length > 0 && isRunningDelegate(part)) return findChildStatus(children) ?? DELEGATING
    return readPartStatus(part)
  })
  return status ?? WORKING
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
  if (type === 'tool') return `${STATUS_OF_TOOL.get(nameOfTool(tool)) ?? 'Working'}…`
  if (type === 'reasoning') return describeThought(toText(text))
  return type === 'text' ? 'Writing…' : undefined
}

function nameOfTool(tool: unknown): string {
  const name = toText(tool)
  return DASHED_FAMILY.test(name) ? name.replaceAll('-', '_') : name
}

function describeThought(text: string): string {
  const [, heading = ''] = /^\*\*(.*?)\*\*/s.exec(text.slice(0, HEADING_LIMIT_CHARS).trimStart()) ?? []
  return heading.trim() ? `Thinking: ${heading.trim()}…` : 'Thinking…'
}

function isRunningDelegate(part: unknown): boolean {
  const { type, tool, state } = toRecord(part)
  return type === 'tool' && DELEGATE.test(nameOfTool(tool)) && toRecord(state).status === 'running'
}

function findChildStatus(messages: readonly unknown[]): string | undefined {
  return findNewest(messages, (message) =>
    isAssistant(message) ? findNewest(readParts(message), readPartStatus) : undefined,
  )
}
