import { unwrapError } from '../status/unwrap-error.ts'
import { PARSE_LIMIT_CHARS, type Parsed, parseJson } from '../wire/parse-json.ts'
import { firstText, isRecord, lookUp, readString, toRecord, toText } from '../wire/read-value.ts'
import { toolInfo } from './label-tool.ts'

/** Where a tool call stands, as a user sees it. */
export type ToolViewStatus = 'pending' | 'running' | 'done' | 'error'

/** A tool call, ready to render. */
export interface ToolView {
  readonly name: string
  readonly title: string
  readonly status: ToolViewStatus
  readonly input?: Readonly<Record<string, unknown>>
  readonly output?: string
  readonly error?: string
  /** The output as JSON, when it is JSON and at most 262144 characters long. */
  readonly outputParsed?: unknown
  /** The output as it came, there whenever there is output. */
  readonly outputText?: string
}

const STATUS_OF_STATE: Readonly<Record<string, ToolViewStatus>> = {
  pending: 'pending',
  running: 'running',
  completed: 'done',
  error: 'error',
}

/** Reads a tool part. A call that completed but reports a failure inside its output counts as failed. */
export function viewToolPart(part: unknown): ToolView {
  const { tool, state: rawState } = toRecord(part)
  const state = toRecord(rawState)
  const name = toText(tool)
  const status = lookUp(STATUS_OF_STATE, toText(state.status)) ?? 'pending'
  const base = {
    name,
    title: firstText(state.title) ?? toolInfo(name).label,
    ...(isRecord(state.input) && { input: state.input }),
  }
  if (status === 'error') return { ...base, status, error: readString(state.error) ?? unwrapError(state.error) }
  const output = readString(state.output)
  if (status !== 'done' || output === undefined) return { ...base, status }
  const parsed = parseToolOutput(output)
  const failure = findReportedFailure(parsed?.value)
  return {
    ...base,
    status: failure === undefined ? status : 'error',
    output,
    outputText: output,
    ...(parsed && { outputParsed: parsed.value }),
    ...(failure !== undefined && { error: failure }),
  }
}

/** Tool output as JSON; undefined when it is not JSON or too long to parse. */
export function parseToolOutput(output: string): Parsed | undefined {
  return output.length <= PARSE_LIMIT_CHARS ? parseJson(output) : undefined
}

function findReportedFailure(body: unknown): string | undefined {
  if (!isRecord(body)) return undefined
  const { success, error, message } = body
  const hasError = isRecord(error) || firstText(error) !== undefined
  if (success !== false && !hasError) return undefined
  if (hasError || typeof error === 'number') return unwrapError(error)
  return firstText(message) ?? 'Tool reported failure'
}
