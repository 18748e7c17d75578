/** One place a search found. */
export interface SearchMatch {
  readonly path: string
  readonly line?: number
  readonly content?: string
}

const MATCH_LIMIT = 200
const GREP_ENTRY = /^\s*Line (\d{1,9}): ?(.*)$/

/** Matches of a `grep` call: a path line ending in a colon, then its `Line <n>: <content>` entries. At most 200. */
export function parseGrepOutput(output: string): SearchMatch[] {
  const matches: SearchMatch[] = []
  let path: string | undefined
  for (const line of readLines(output)) {
    if (matches.length === MATCH_LIMIT) break
    if (line.startsWith('/') && line.endsWith(':')) {
      path = line.slice(0, -1)
      continue
    }
    const [, number, content] = GREP_ENTRY.exec(line) ?? []
    if (path === undefined || content === undefined) continue
    matches.push({ path, line: Number(number), content: content.endsWith(';') ? content.slice(0, -1) : content })
  }
  return matches
}

/** Matches of a `glob` call: one path per line. At most 200. */
export function parseGlobOutput(output: string): SearchMatch[] {
  const matches: SearchMatch[] = []
  for (const line of readLines(output)) {
    if (matches.length === MATCH_LIMIT) break
    const path = line.trim()
    if (path.startsWith('/') || path.startsWith('./') || path.startsWith('~')) matches.push({ path })
  }
  return matches
}

/** Lines one by one, so that a search stops reading once it has enough. */
function* readLines(text: string): Generator<string> {
  let from = 0
  while (from <= text.length) {
    const newline = text.indexOf('\n', from)
    const end = newline < 0 ? text.length : newline
    yield text.charCodeAt(end - 1) === 0x0d && end > from ? text.slice(from, end - 1) : text.slice(from, end)
    from = end + 1
  }
}
