import { readTable } from '../wire/read-table.ts'
import { normalizeToolName } from './normalize-tool-name.ts'

/** What a tool is about; decides icon and grouping in a user interface. */
export type ToolCategory = 'shell' | 'files' | 'search' | 'edit' | 'web' | 'task' | 'other'

/** A name for people, and what the tool is about. */
export interface ToolLabel {
  readonly label: string
  readonly category: ToolCategory
}

/** Names, label and category of each tool that is known. */
const REGISTRY = /* @__PURE__ */ readTable(`bash;Shell;shell
pty_spawn;Spawn Terminal;shell
pty_read;Terminal Output;shell
pty_write pty_input;Terminal Input;shell
pty_kill;Kill Process;shell
read;Read File;files
list ls;List Directory;files
write;Write File;edit
edit multiedit morph_edit;Edit File;edit
apply_patch patch;Apply Patch;edit
grep;Search Code;search
glob;Find Files;search
image_search;Image Search;search
session_search;Search Sessions;search
webfetch;Fetch Page;web
scrape_webpage;Scrape Page;web
websearch web_search;Web Search;web
image_gen;Generate Image;web
video_gen;Generate Video;web
task;Delegate to Agent;task
todowrite;Plan Tasks;task
todoread;Read Plan;task
question;Ask Question;task
presentation_gen;Presentation;task
show show_user;Show Output;task
prune;Prune Context;other
distill;Distill Context;other
compress;Compress Context;other
context_info;Context Info;other`)

const TASK_FAMILY = /^(?:agent|session|task|trigger|project)_/

/**
 * A tool's name for people and its category. Never throws: a name nobody registered is made readable.
 *
 * @example
 * toolInfo('oc-web-search') // { label: 'Web Search', category: 'web' }
 * toolInfo('my-thing') // { label: 'My Thing', category: 'other' }
 */
export function toolInfo(name: string): ToolLabel {
  const normalized = normalizeToolName(name)
  const [label = humanize(normalized), category = guessCategory(normalized)] = REGISTRY.get(normalized) ?? []
  // The table's last column holds categories alone.
  return { label, category: category as ToolCategory }
}

/** A name made readable: its words, each with a capital. */
export function humanize(name: string): string {
  return name
    .split(/[_ ]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ')
    .trim()
}

function guessCategory(name: string): ToolCategory {
  if (name.startsWith('pty_')) return 'shell'
  return TASK_FAMILY.test(name) ? 'task' : 'other'
}
