import { unwrapError } from '../status/unwrap-error.ts'
import { PARSE_LIMIT_CHARS, type Parsed, parseJson } from '../wire/parse-json.ts'
import { dropUndefined, firstText, isRecord, readString, toRecord, toText } from '../wire/read-value.ts'
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

/** Reads a tool part. A call that completed but reports a failure inside its output counts as failed. */
export function viewToolPart(part: unknown): ToolView {
  const { tool, state: rawState } = toRecord(part)
  const { status, title, input, output: rawOutput, error } = toRecord(rawState)
  const name = toText(tool)
  const output = status === 'completed' ? readString(rawOutput) : undefined
  const parsed = output === undefined ? undefined : parseToolOutput(output)
  const failure = status === 'error' ? (readString(error) ?? unwrapError(error)) : findReportedFailure(parsed?.value)
  return {
    ...dropUndefined({
      name,
      title: firstText(title) ?? toolInfo(name).label,
      status: failure === undefined ? settle(status) : 'error',
      input: isRecord(input) ? input : undefined,
      output,
      outputText: output,
      error: failure,
    }),
    ...(parsed && { outputParsed: parsed.value }),
  }
}

/** Tool output as JSON; undefined when it is not JSON or too long to parse. */
export function parseToolOutput(output: string): Parsed | undefined {
  return output.length <= PARSE_LIMIT_CHARS ? parseJson(output) : undefined
}

function settle(status: unknown): ToolViewStatus {
  if (status === 'completed') return 'done'
  return status === 'running' ? status : 'pending'
}

function findReportedFailure(body: unknown): string | undefined {
  const { success, error, message } = toRecord(body)
  if (isRecord(error) || firstText(error)) return unwrapError(error)
  if (success !== false) return undefined
  return typeof error === 'number' ? unwrapError(error) : (firstText(message) ?? 'Tool reported failure')
}
