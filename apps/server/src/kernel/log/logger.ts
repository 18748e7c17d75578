import type { Clock } from '../clock/index.ts'
import { systemClock } from '../clock/index.ts'
import { formatJson, formatPretty, type LineFormat } from './format-line.ts'
import { isAtLeast, type Level } from './levels.ts'
import { createLineWriter, type LineWriter } from './line-writer.ts'
import { redactText } from './redact-text.ts'
import { type Plain, toPlainFields } from './to-plain.ts'

/**
 * Structured logs. Secrets are removed from everything that is passed in, by the name of a field and by the look of a
 * value; still, do not log what you know to be secret. No method ever throws.
 */
export interface Logger {
  debug(message: string, fields?: object): void
  info(message: string, fields?: object): void
  warn(message: string, fields?: object): void
  error(message: string, fields?: object): void
  /** A logger whose lines all carry these fields. They are read and redacted once, now. */
  child(fields: object): Logger
  /** The line of one finished request, without the walk that looks for secrets: every field is safe by its type. */
  access(line: AccessLine): void
  flush(): void
}

export interface AccessLine {
  requestId: string
  method: string
  /** The route's pattern (`/v1/projects/:projectId`), never the path that was asked for. */
  route: string
  status: number
  durationMs: number
  bytesOut?: number
  actorId?: string
  accountId?: string
}

export interface LoggerOptions {
  level?: Level
  format?: 'json' | 'pretty'
  colour?: boolean
  writer?: LineWriter
  clock?: Clock
}

export function createLogger(options: LoggerOptions = {}): Logger {
  const { level = 'info', clock = systemClock } = options
  const writer = options.writer ?? createLineWriter(1)
  const format = options.format === 'pretty' ? formatPretty(options.colour ?? false) : formatJson
  return bindLogger({ level, clock, writer, format, json: options.format !== 'pretty' }, {})
}

/** Without a chosen format: short lines on a terminal, JSON lines elsewhere. */
export function createConfiguredLogger(
  { logLevel, logFormat }: { readonly logLevel: Level; readonly logFormat: 'json' | 'pretty' | undefined },
  { isTerminal, isColoured }: { readonly isTerminal: boolean; readonly isColoured: boolean },
): Logger {
  const format = logFormat ?? (isTerminal ? 'pretty' : 'json')
  return createLogger({ format, level: logLevel, colour: isTerminal && isColoured })
}

interface Sink {
  level: Level
  clock: Clock
  writer: LineWriter
  format: LineFormat
  json: boolean
}

function bindLogger(sink: Sink, bound: { [key: string]: Plain }): Logger {
  function log(level: Level, message: string, fields?: object): void {
    if (!isAtLeast(level, sink.level)) return
    try {
      const own = fields === undefined ? bound : { ...bound, ...toPlainFields(nameError(fields)) }
      sink.writer.write(
        sink.format({ timeMs: sink.clock.nowMs(), level, message: redactText(String(message)), fields: own }),
      )
      if (level === 'error') sink.writer.drain()
    } catch (error) {
      reportLogFailure(sink, error)
    }
  }
  return {
    debug: (message, fields) => log('debug', message, fields),
    info: (message, fields) => log('info', message, fields),
    warn: (message, fields) => log('warn', message, fields),
    error: (message, fields) => log('error', message, fields),
    child: (fields) => bindLogger(sink, { ...bound, ...toPlainFields(fields) }),
    access(line) {
      if (!isAtLeast('info', sink.level)) return
      try {
        sink.writer.write(sink.json ? accessJson(sink.clock.nowMs(), line) : accessPretty(sink, line))
      } catch (error) {
        reportLogFailure(sink, error)
      }
    },
    flush: () => sink.writer.flush(),
  }
}

/** `log.error('…', error)` reads well at the call site, so an error may stand in the place of the fields. */
function nameError(fields: object): object {
  return fields instanceof Error ? { error: fields } : fields
}

/** A line that could not be made is replaced by one that says so. A writer that fails has nobody left to tell. */
function reportLogFailure(sink: Sink, error: unknown): void {
  const message = `a log line could not be written: ${error instanceof Error ? redactText(error.message) : 'unknown'}`
  try {
    sink.writer.write(sink.format({ timeMs: sink.clock.nowMs(), level: 'error', message, fields: {} }))
  } catch {
    // Logging never throws into the code that logs.
  }
}

function accessJson(timeMs: number, line: AccessLine): string {
  let text = `{"time":"${new Date(timeMs).toISOString()}","level":"info","msg":"request","request_id":"${line.requestId}"`
  text += `,"method":${JSON.stringify(line.method)},"route":${JSON.stringify(line.route)},"status":${line.status}`
  text += `,"duration_ms":${Math.round(line.durationMs * 10) / 10}`
  if (line.bytesOut !== undefined) text += `,"bytes_out":${line.bytesOut}`
  if (line.actorId !== undefined) text += `,"actor_id":${JSON.stringify(line.actorId)}`
  if (line.accountId !== undefined) text += `,"account_id":${JSON.stringify(line.accountId)}`
  return `${text}}`
}

function accessPretty(sink: Sink, line: AccessLine): string {
  const message = `${line.method} ${line.route} ${line.status} ${Math.round(line.durationMs)} ms`
  return sink.format({ timeMs: sink.clock.nowMs(), level: 'info', message, fields: { request_id: line.requestId } })
}
