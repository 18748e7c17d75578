/** Where the cursor stands in a manifest: below which keys, and whether a key or a value is being written. */
export interface Place {
  /** Keys from the top; a number's place in a list is written as `[]`. */
  readonly path: readonly string[]
  readonly kind: 'key' | 'value'
  /** Where the word under the cursor begins. */
  readonly from: number
  /** The lines of the same mapping, so that what is there is not offered again. */
  readonly siblings: readonly string[]
}

interface Line {
  readonly indent: number
  readonly key: string | undefined
  readonly isItem: boolean
}

const keyPattern = /^["']?([A-Za-z0-9_.-]+)["']?\s*:(?:\s|$)/

/** Reads YAML by its indentation alone: it has to work while the text is not YAML yet. */
export function findYamlPlace(text: string, offset: number): Place {
  const lineStart = text.lastIndexOf('\n', offset - 1) + 1
  const before = text.slice(lineStart, offset)
  const lines = text.split('\n').map(readLine)
  const at = text.slice(0, offset).split('\n').length - 1
  const current = lines[at] ?? { indent: 0, key: undefined, isItem: false }
  const indent = /^[\s-]*/.exec(before)?.[0].length ?? 0
  const written = before.slice(indent)
  const value = /^["']?([A-Za-z0-9_.-]+)["']?\s*:\s+(.*)$/.exec(written)
  const parents = findParents(lines, at, indent)
  const path = [...parents, ...(current.isItem && !parents.at(-1)?.endsWith('[]') ? ['[]'] : [])]
  if (value) {
    return { path: [...path, value[1] ?? ''], kind: 'value', from: offset - (value[2]?.length ?? 0), siblings: [] }
  }
  const siblings = findSiblings(lines, at, indent)
  return { path, kind: 'key', from: lineStart + indent, siblings }
}

function readLine(text: string): Line {
  const indent = /^[\s-]*/.exec(text)?.[0].length ?? 0
  const rest = text.slice(indent)
  const isItem = /^\s*-\s/.test(text)
  return { indent, key: rest.startsWith('#') ? undefined : keyPattern.exec(rest)?.[1], isItem }
}

/** Each line above with less indentation than what is below it opens what follows. */
function findParents(lines: readonly Line[], at: number, indent: number): string[] {
  const path: string[] = []
  let least = indent
  for (let index = at - 1; index >= 0 && least > 0; index--) {
    const line = lines[index]
    if (!line || line.key === undefined || line.indent > least) continue
    // The first key of a list's item stands beside the keys below it.
    if (line.indent === least) {
      if (!line.isItem) continue
      path.unshift('[]')
      least = line.indent - 1
      continue
    }
    path.unshift(line.key)
    least = line.indent
    if (line.isItem) {
      path.unshift('[]')
      least = line.indent - 1
    }
  }
  return path
}

function findSiblings(lines: readonly Line[], at: number, indent: number): string[] {
  const isOwn = (line: Line) => line.key !== undefined && line.indent === indent
  const above: Line[] = []
  // A new item has nothing above that belongs to it; another item ends what is below.
  for (let index = at; index > 0 && !isItemAt(lines[index], indent); index--) {
    const line = lines[index - 1]
    if (!line || (line.key !== undefined && line.indent < indent)) break
    above.push(line)
  }
  const below = lines.slice(at + 1)
  const endAt = below.findIndex(
    ({ key, indent: own, isItem }) => key !== undefined && (own < indent || (isItem && own === indent)),
  )
  return [...above, ...(endAt < 0 ? below : below.slice(0, endAt))].filter(isOwn).flatMap(({ key }) => key ?? [])
}

const isItemAt = (line: Line | undefined, indent: number): boolean => line?.isItem === true && line.indent === indent

/** The same for TOML: the table's heading says where its keys belong. */
export function findTomlPlace(text: string, offset: number): Place {
  const lineStart = text.lastIndexOf('\n', offset - 1) + 1
  const before = text.slice(lineStart, offset)
  const above = text.slice(0, lineStart).split('\n')
  const headingAt = above.findLastIndex((line) => /^\s*\[/.test(line))
  const heading = /^\s*(\[{1,2})([^\]]+)/.exec(above[headingAt] ?? '')
  const table = heading?.[2]?.split('.').map((part) => part.trim().replace(/^["']|["']$/g, '')) ?? []
  const path = heading?.[1] === '[[' ? [...table, '[]'] : table
  const value = /^\s*["']?([A-Za-z0-9_.-]+)["']?\s*=\s*(.*)$/.exec(before)
  if (value) {
    return { path: [...path, value[1] ?? ''], kind: 'value', from: offset - (value[2]?.length ?? 0), siblings: [] }
  }
  const below = text.slice(lineStart).split('\n').slice(1)
  const endAt = below.findIndex((line) => /^\s*\[/.test(line))
  const own = [...above.slice(headingAt + 1), ...(endAt < 0 ? below : below.slice(0, endAt))]
  const siblings = own.flatMap((line) => /^\s*["']?([A-Za-z0-9_.-]+)["']?\s*=/.exec(line)?.[1] ?? [])
  return { path, kind: 'key', from: lineStart + (/^\s*/.exec(before)?.[0].length ?? 0), siblings }
}
