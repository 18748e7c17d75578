/** A parsed value, wrapped so that `null` and `undefined` stay apart. */
export interface Parsed {
  readonly value: unknown
}

/** JSON text longer than this is shown as text and never parsed. */
export const PARSE_LIMIT_CHARS = 262_144

/** Parses JSON text; undefined when the text is not JSON. Never throws. */
export function parseJson(text: string): Parsed | undefined {
  try {
    return { value: JSON.parse(text) }
  } catch {
    // Text that is not JSON is an expected answer here, and the caller shows it as text.
    return undefined
  }
}

/** Parses the JSON between the first `{` and the last `}` of a text. */
export function parseEmbeddedJson(text: string): Parsed | undefined {
  const start = text.indexOf('{')
  const end = text.lastIndexOf('}')
  return start >= 0 && end > start ? parseJson(text.slice(start, end + 1)) : undefined
}

/** Two-space JSON, or undefined for a value that has none: a cycle, a big integer, a depth past the stack. */
export function printJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value, null, 2)
  } catch {
    // A value without a JSON form has nothing to show; the caller leaves the field out.
    return undefined
  }
}
