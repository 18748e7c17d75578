import type { Level } from './levels.ts'
import type { Plain } from './to-plain.ts'

export interface Line {
  timeMs: number
  level: Level
  message: string
  fields: { [key: string]: Plain }
}

export type LineFormat = (line: Line) => string

const MAX_LINE_CHARS = 32_768
const RESERVED = new Set(['time', 'level', 'msg'])

export function formatJson(line: Line): string {
  const start = { time: new Date(line.timeMs).toISOString(), level: line.level, msg: line.message }
  const record: { [key: string]: Plain } = { ...start }
  for (const [key, value] of Object.entries(line.fields)) record[RESERVED.has(key) ? `${key}_` : key] = value
  const text = JSON.stringify(record)
  if (text.length <= MAX_LINE_CHARS) return text
  return JSON.stringify({ ...start, msg: line.message.slice(0, 2_048), cut: `${text.length} characters` })
}

const COLOURS: Record<Level, string> = { debug: '90', info: '36', warn: '33', error: '31' }

/** Short lines for people: time of day, level, message, then `key=value`; a stack on its own lines. */
export function formatPretty(useColour: boolean): LineFormat {
  const paint = (code: string, text: string) => (useColour ? `\u001b[${code}m${text}\u001b[0m` : text)
  return (line) => {
    const time = new Date(line.timeMs).toISOString().slice(11, 23)
    const level = paint(COLOURS[line.level], line.level.toUpperCase().padEnd(5))
    const stacks: string[] = []
    const fields = Object.entries(line.fields).map(
      ([key, value]) => ` ${paint('90', `${key}=`)}${brief(value, stacks)}`,
    )
    const text = `${paint('90', time)} ${level} ${escapeControls(line.message)}${fields.join('')}`
    return [text, ...stacks].join('\n').slice(0, MAX_LINE_CHARS)
  }
}

function brief(value: Plain, stacks: string[]): string {
  if (typeof value === 'string') return /[\s"=]/.test(value) ? JSON.stringify(value) : escapeControls(value)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return JSON.stringify(value)
  const { stack, ...rest } = value
  if (typeof stack !== 'string') return JSON.stringify(value)
  stacks.push(...stack.split('\n').map((row) => `    ${escapeControls(row.trim())}`))
  return JSON.stringify(rest)
}

/** A logged value must not be able to move the cursor or forge a line. */
function escapeControls(text: string): string {
  return text.replace(/\p{Cc}/gu, (char) => `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`)
}
