/** One place a search found. */
export interface SearchMatch {
  readonly path: string
  readonly line?: number
  readonly content?: string
}

const MATCH_LIMIT = 200
const LINE_END = /\r?\n/
const GREP_ENTRY = /^\s*Line (\d{1,9}): ?(.*?);?$/

/** Matches of a `grep` call: a path line ending in a colon, then its `Line <n>: <content>` entries. At most 200. */
export function parseGrepOutput(output: string): SearchMatch[] {
  const matches: SearchMatch[] = []
  let path: string | undefined
  for (const line of output.split(LINE_END)) {
    const [, number, content = ''] = GREP_ENTRY.exec(line) ?? []
    if (/^\/.*:$/.test(line)) path = line.slice(0, -1)
    else if (path && number) matches.push({ path, line: Number(number), content })
  }
  return matches.slice(0, MATCH_LIMIT)
}

/** Matches of a `glob` call: one path per line. At most 200. */
export function parseGlobOutput(output: string): SearchMatch[] {
  const paths = output.split(LINE_END).map((line) => line.trim())
  return paths
    .filter((path) => /^(\.?\/|~)/.test(path))
    .slice(0, MATCH_LIMIT)
    .map((path) => ({ path }))
}
