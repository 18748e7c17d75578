import { stringify } from 'smol-toml'
import { isMap, type PlainMap } from '../plain-data.ts'

/** A key, quoted when it has to be. */
export function renderTomlKey(key: string): string {
  return /^[A-Za-z0-9_-]+$/.test(key) ? key : JSON.stringify(key)
}

/** A value as it stands after `=`, nested maps as inline tables. */
export function renderTomlValue(value: unknown, allowLines = true): string {
  if (typeof value === 'string' && allowLines && value.includes('\n')) return renderLongText(value)
  if (Array.isArray(value)) return `[${value.map((item) => renderTomlValue(item, false)).join(', ')}]`
  if (isMap(value)) {
    const pairs = Object.entries(value).filter(([, item]) => item !== undefined)
    const body = pairs.map(([key, item]) => `${renderTomlKey(key)} = ${renderTomlValue(item, false)}`).join(', ')
    return body === '' ? '{}' : `{ ${body} }`
  }
  return stringify({ v: value }).replace(/^v = /, '').trimEnd()
}

/** `key = value` lines of a table. */
export function renderTomlPairs(entry: PlainMap): string {
  return Object.entries(entry)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([key, value]) => `${renderTomlKey(key)} = ${renderTomlValue(value)}\n`)
    .join('')
}

function renderLongText(value: string): string {
  const escaped = JSON.stringify(value)
    .slice(1, -1)
    .replace(/\\n/g, (match, offset: number, all: string) => (isEscaped(all, offset) ? match : '\n'))
    .replace(/\u007f/g, '\\u007F')
  return `"""\n${escaped}"""`
}

/** True when the backslash at `offset` is itself escaped. */
function isEscaped(text: string, offset: number): boolean {
  let slashes = 0
  for (let at = offset - 1; at >= 0 && text[at] === '\\'; at -= 1) slashes += 1
  return slashes % 2 === 1
}
