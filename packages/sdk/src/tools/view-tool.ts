import { cutViewText } from '../text/cut-text.ts'
import { printJson } from '../wire/parse-json.ts'
import { firstText, isRecord, readString, toList, toRecord, toText } from '../wire/read-value.ts'
import { DIFF_LIMIT_CHARS, type DiffLine, diffLines } from './diff-lines.ts'
import { normalizeToolName } from './normalize-tool-name.ts'
import { parseGlobOutput, parseGrepOutput, type SearchMatch } from './parse-search-output.ts'
import { type AskedQuestion, readAnswers, readQuestions } from './read-questions.ts'
import { readShellText, shellExitCode } from './read-shell-output.ts'
import { parseToolOutput, type ToolView } from './view-tool-part.ts'

/** One result of a web or image search. */
export interface WebSearchResult {
  readonly title: string
  readonly url: string
  readonly snippet?: string
}

/** One line of a plan. */
export interface TodoItem {
  readonly content: string
  readonly status: string
  readonly priority?: string
}

/** What a tool call shows, by kind. Every kind this version does not know is `generic`. */
export type ToolViewModel =
  | {
      readonly kind: 'web-search'
      readonly query: string
      readonly results?: WebSearchResult[]
      readonly answer?: string
      readonly error?: string
    }
  | { readonly kind: 'shell'; readonly command: string; readonly stdout?: string; readonly exitCode?: number }
  | { readonly kind: 'file-read'; readonly path: string; readonly preview?: string }
  | { readonly kind: 'file-write'; readonly path: string; readonly preview?: string }
  | { readonly kind: 'file-edit'; readonly path: string; readonly diff?: DiffLine[] }
  | { readonly kind: 'search'; readonly pattern: string; readonly matches?: SearchMatch[] }
  | { readonly kind: 'task'; readonly description: string; readonly agent?: string }
  | { readonly kind: 'todo'; readonly items: TodoItem[] }
  | { readonly kind: 'question'; readonly questions: AskedQuestion[]; readonly answers?: string[][] }
  | { readonly kind: 'generic'; readonly label: string; readonly inputPretty?: string; readonly outputPretty?: string }

const RESULT_LIMIT = 50

/** A tool view whose fields were checked, so that the views below can read them plainly. */
interface CheckedView {
  readonly input: Record<string, unknown>
  readonly output: string | undefined
  readonly parsed: unknown
  readonly error: string | undefined
  readonly failed: boolean
  readonly title: string
}

/**
 * What one tool call shows: a command with its output, a diff, search matches, a plan. Long text is cut at 4000
 * characters. Never throws.
 *
 * @example
 * toolViewModel({ name: 'bash', title: 'Shell', status: 'done', input: { command: 'make' }, output: 'built' })
 * // { kind: 'shell', command: 'make', stdout: 'built' }
 */
export function toolViewModel(tool: ToolView): ToolViewModel {
  const view = checkView(tool)
  switch (normalizeToolName(toRecord(tool).name)) {
    case 'web_search':
    case 'websearch':
    case 'image_search':
      return viewWebSearch(view)
    case 'bash':
      return viewShell(view)
    case 'read':
      return { kind: 'file-read', path: readPath(view.input), ...readPreview(view, view.output) }
    case 'write':
      return viewFileWrite(view)
    case 'edit':
    case 'morph_edit':
      return viewFileEdit(view)
    case 'grep':
      return viewSearch(view, parseGrepOutput)
    case 'glob':
      return viewSearch(view, parseGlobOutput)
    case 'task':
      return viewTask(view)
    case 'todowrite':
      return { kind: 'todo', items: readTodos(view) }
    case 'question':
    case 'ask':
      return viewQuestion(view)
    default:
      return viewGeneric(view)
  }
}

function checkView(tool: unknown): CheckedView {
  const view = toRecord(tool)
  const output = readString(view.outputText) ?? readString(view.output)
  const parsed = 'outputParsed' in view || output === undefined ? view.outputParsed : parseToolOutput(output)?.value
  const failed = view.status === 'error'
  return {
    input: toRecord(view.input),
    output,
    parsed,
    error: firstText(view.error),
    failed,
    title: toText(view.title),
  }
}

function viewWebSearch({ input, parsed, error, failed }: CheckedView): ToolViewModel {
  const asked = toText(input.query)
  if (failed) return { kind: 'web-search', query: asked, error: cutViewText(error ?? 'Search failed') }
  const body = toRecord(parsed)
  const answer = firstText(body.answer)
  const rows = Array.isArray(body.results) ? body.results : toList(body.images)
  const results = rows.filter(isRecord).slice(0, RESULT_LIMIT).map(readResult)
  return {
    kind: 'web-search',
    query: firstText(body.query) ?? asked,
    ...(answer !== undefined && { answer: cutViewText(answer) }),
    ...(results.length > 0 && { results }),
  }
}

function readResult(row: Record<string, unknown>): WebSearchResult {
  const snippet = firstText(row.snippet, row.description, row.source)
  return {
    title: toText(row.title),
    url: firstText(row.url, row.link) ?? '',
    ...(snippet !== undefined && { snippet: cutViewText(snippet) }),
  }
}

function viewShell({ input, output, error, failed }: CheckedView): ToolViewModel {
  const printed = readShellText(output ?? '')
  const stdout = printed === '' && failed ? error : printed
  const exitCode = shellExitCode(output)
  return {
    kind: 'shell',
    command: cutViewText(toText(input.command)),
    ...(stdout && { stdout: cutViewText(stdout) }),
    ...(exitCode !== undefined && { exitCode }),
  }
}

function viewFileWrite(view: CheckedView): ToolViewModel {
  const { input, output } = view
  return { kind: 'file-write', path: readPath(input), ...readPreview(view, firstText(input.content) ?? output) }
}

function viewFileEdit({ input }: CheckedView): ToolViewModel {
  const path = readPath(input)
  const oldText = firstText(input.oldString)
  const newText = firstText(input.newString)
  if (!oldText || !newText || oldText.length + newText.length > DIFF_LIMIT_CHARS) return { kind: 'file-edit', path }
  return { kind: 'file-edit', path, diff: diffLines(oldText, newText) }
}

function viewSearch({ input, output, failed }: CheckedView, parse: (output: string) => SearchMatch[]): ToolViewModel {
  const pattern = firstText(input.pattern, input.query) ?? ''
  const matches = failed || !output ? [] : parse(output)
  return { kind: 'search', pattern, ...(matches.length > 0 && { matches }) }
}

function viewTask({ input, title }: CheckedView): ToolViewModel {
  const description = firstText(input.description, input.title, input.prompt) ?? title
  const agent = firstText(input.subagent_type, input.agent)
  return { kind: 'task', description: cutViewText(description), ...(agent !== undefined && { agent }) }
}

function readTodos({ input, parsed }: CheckedView): TodoItem[] {
  const planned = Array.isArray(parsed) ? parsed : toList(toRecord(parsed).todos)
  const rows = Array.isArray(input.todos) ? input.todos : planned
  return rows.filter(isRecord).map((row) => {
    const priority = firstText(row.priority)
    return {
      content: toText(row.content),
      status: firstText(row.status) ?? 'pending',
      ...(priority !== undefined && { priority }),
    }
  })
}

function viewQuestion({ input, parsed, output }: CheckedView): ToolViewModel {
  const questions = readQuestions(input.questions)
  const answers = readAnswers(questions, parsed, output)
  return { kind: 'question', questions, ...(answers && { answers }) }
}

function viewGeneric({ input, output, parsed, error, title }: CheckedView): ToolViewModel {
  const inputPretty = Object.keys(input).length > 0 ? printJson(input) : undefined
  const outputPretty = (parsed === undefined ? undefined : prettyPrint(parsed)) ?? output ?? error
  return {
    kind: 'generic',
    label: title,
    ...(inputPretty !== undefined && { inputPretty: cutViewText(inputPretty) }),
    ...(outputPretty !== undefined && { outputPretty: cutViewText(outputPretty) }),
  }
}

function prettyPrint(value: unknown): string | undefined {
  return readString(value) ?? printJson(value)
}

function readPath(input: Record<string, unknown>): string {
  return firstText(input.filePath, input.file_path, input.path) ?? ''
}

function readPreview({ error }: CheckedView, text: string | undefined): { preview?: string } {
  const preview = error ?? text
  return preview === undefined ? {} : { preview: cutViewText(preview) }
}
