import { cutViewText } from '../text/cut-text.ts'
import { printJson } from '../wire/parse-json.ts'
import { dropUndefined, firstText, isRecord, readString, toList, toRecord, toText } from '../wire/read-value.ts'
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

/**
 * What one tool call shows: a command with its output, a diff, search matches, a plan. Long text is cut at 4000
 * characters. Never throws.
 *
 * @example
 * toolViewModel({ name: 'bash', title: 'Shell', status: 'done', input: { command: 'make' }, output: 'built' })
 * // { kind: 'shell', command: 'make', stdout: 'built' }
 */
export function toolViewModel(tool: ToolView): ToolViewModel {
  const { name, status, title, input: rawInput, output: raw, outputText, error: rawError, ...rest } = toRecord(tool)
  const input = toRecord(rawInput)
  const output = readString(outputText) ?? readString(raw)
  const parsed = 'outputParsed' in rest ? rest.outputParsed : parseToolOutput(output ?? '')?.value
  const error = firstText(rawError)
  const failed = status === 'error'
  const path = firstText(input.filePath, input.file_path, input.path) ?? ''
  switch (normalizeToolName(name)) {
    case 'web_search':
    case 'websearch':
    case 'image_search':
      return viewWebSearch(toText(input.query), toRecord(parsed), failed ? (error ?? 'Search failed') : undefined)
    case 'bash':
      return dropUndefined({
        kind: 'shell' as const,
        command: cutViewText(toText(input.command)),
        stdout: cutViewText(firstText(readShellText(output ?? ''), failed && error)),
        exitCode: shellExitCode(output),
      })
    case 'read':
      return dropUndefined({ kind: 'file-read' as const, path, preview: cutViewText(error ?? output) })
    case 'write':
      return dropUndefined({
        kind: 'file-write' as const,
        path,
        preview: cutViewText(error ?? firstText(input.content) ?? output),
      })
    case 'edit':
    case 'morph_edit': {
      const before = toText(input.oldString)
      const after = toText(input.newString)
      const isComparable = before && after && before.length + after.length <= DIFF_LIMIT_CHARS
      return dropUndefined({
        kind: 'file-edit' as const,
        path,
        diff: isComparable ? diffLines(before, after) : undefined,
      })
    }
    case 'grep':
    case 'glob': {
      const parse = /grep$/.test(toText(name)) ? parseGrepOutput : parseGlobOutput
      return dropUndefined({
        kind: 'search' as const,
        pattern: firstText(input.pattern, input.query) ?? '',
        matches: unlessEmpty(failed ? [] : parse(output ?? '')),
      })
    }
    case 'task':
      return dropUndefined({
        kind: 'task' as const,
        description: cutViewText(firstText(input.description, input.title, input.prompt, title) ?? ''),
        agent: firstText(input.subagent_type, input.agent),
      })
    case 'todowrite': {
      const rows = [input.todos, parsed, toRecord(parsed).todos].find(Array.isArray)
      return { kind: 'todo', items: toList(rows).filter(isRecord).map(readTodo) }
    }
    case 'question':
    case 'ask': {
      const questions = readQuestions(input.questions)
      return dropUndefined({ kind: 'question' as const, questions, answers: readAnswers(questions, parsed, output) })
    }
    default:
      return dropUndefined({
        kind: 'generic' as const,
        label: toText(title),
        inputPretty: cutViewText(Object.keys(input).length > 0 ? printJson(input) : undefined),
        outputPretty: cutViewText(readString(parsed) ?? printJson(parsed) ?? output ?? error),
      })
  }
}

function viewWebSearch(asked: string, body: Record<string, unknown>, error: string | undefined): ToolViewModel {
  const kind = 'web-search' as const
  if (error) return { kind, query: asked, error: cutViewText(error) }
  const rows = Array.isArray(body.results) ? body.results : toList(body.images)
  return dropUndefined({
    kind,
    query: firstText(body.query) ?? asked,
    answer: cutViewText(firstText(body.answer)),
    results: unlessEmpty(rows.filter(isRecord).slice(0, RESULT_LIMIT).map(readResult)),
  })
}

function readResult({ title, url, link, snippet, description, source }: Record<string, unknown>): WebSearchResult {
  return dropUndefined({
    title: toText(title),
    url: firstText(url, link) ?? '',
    snippet: cutViewText(firstText(snippet, description, source)),
  })
}

function readTodo({ content, status, priority }: Record<string, unknown>): TodoItem {
  return dropUndefined({
    content: toText(content),
    status: firstText(status) ?? 'pending',
    priority: firstText(priority),
  })
}

const unlessEmpty = <T>(list: T[]): T[] | undefined => (list.length > 0 ? list : undefined)
