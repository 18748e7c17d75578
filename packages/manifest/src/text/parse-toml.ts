import { parse, TomlDate, TomlError } from 'smol-toml'
import { isMap, type PlainMap, put } from '../plain-data.ts'
import { MAX_DEPTH } from './limits.ts'
import { LineIndex } from './line-index.ts'
import { locateInToml } from './locate-in-toml.ts'
import type { ParsedText } from './parsed-text.ts'

/** Throws the parser's own error for anything that is not a well-formed, bounded document. */
export function parseToml(text: string): ParsedText {
  const data = normalize(parse(text, { maxDepth: MAX_DEPTH }), 0, text)
  const lines = new LineIndex(text)
  let locate: ParsedText['locate'] | undefined
  return {
    data: isMap(data) ? data : {},
    topLevel: isMap(data) && Object.keys(data).length > 0 ? 'map' : 'empty',
    locate: (path, on) => {
      locate ??= locateInToml(text, lines)
      return locate(path, on)
    },
  }
}

/** Plain objects, and dates as the text YAML would have had. */
function normalize(value: unknown, depth: number, toml: string): unknown {
  if (depth > MAX_DEPTH) throw new TomlError(`the document is nested deeper than ${MAX_DEPTH} levels`, { toml, ptr: 0 })
  if (value instanceof TomlDate) return value.toISOString()
  if (typeof value === 'bigint') return Number(value)
  if (Array.isArray(value)) return value.map((item) => normalize(item, depth + 1, toml))
  if (!isMap(value)) return value
  const copy: PlainMap = {}
  for (const key of Object.keys(value)) put(copy, key, normalize(value[key], depth + 1, toml))
  return copy
}
