/** A parsed value, wrapped so that `null` and `undefined` stay apart. */
export interface Parsed {
  readonly value: unknown
}

/** JSON text longer than this is shown as text and never parsed. */
export const PARSE_LIMIT_CHARS = 262_144

/** What the function gives, or undefined where it throws: for input whose failure is an answer like any other. */
export function attempt<T>(run: () => T): T | undefined {
  try {
    return run()
  } catch {
    // The caller asked for undefined in this case.
    return undefined
  }
}

/** Parses JSON text; undefined when the text is not JSON. Never throws. */
export function parseJson(text: string): Parsed | undefined {
  return attempt(() => ({ value: JSON.parse(text) }))
}

/** Parses the JSON between the first `{` and the last `}` of a text. */
export function parseEmbeddedJson(text: string): Parsed | undefined {
  return parseJson(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1))
}

/** Two-space JSON, or undefined for a value that has none: a cycle, a big integer, a depth past the stack. */
export function printJson(value: unknown): string | undefined {
  return attempt(() => JSON.stringify(value, null, 2))
}
