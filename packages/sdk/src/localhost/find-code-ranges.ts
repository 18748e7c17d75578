/** A stretch of code in Markdown; `end` is exclusive. */
interface CodeRange {
  readonly start: number
  readonly end: number
}

const FENCE = /^ {0,3}(`{3,}|~{3,})/
const BACKTICKS = /`+/g

/**
 * Finds fenced and inline code in Markdown and gives back a test for an index. Indexes must be asked in rising order;
 * the text and all questions together cost one pass. A fence that is still open, as in a streamed answer, reaches to
 * the end; inline code ends on its own line.
 */
export function findCodeRanges(text: string): (index: number) => boolean {
  const ranges = [...listCodeRanges(text)]
  let at = 0
  return (index) => {
    for (let range = ranges[at]; range && range.end <= index; range = ranges[at]) at++
    const range = ranges[at]
    return range !== undefined && range.start <= index
  }
}

function* listCodeRanges(text: string): Generator<CodeRange> {
  let fence: { readonly mark: string; readonly start: number } | undefined
  for (let start = 0; start <= text.length; ) {
    const newline = text.indexOf('\n', start)
    const end = newline < 0 ? text.length : newline
    const line = text.slice(start, end)
    const mark = FENCE.exec(line)?.[1]
    if (fence === undefined && mark !== undefined) {
      fence = { mark, start }
    } else if (fence === undefined) {
      yield* listInlineCode(line, start)
    } else if (mark?.startsWith(fence.mark) && line.trim() === mark) {
      yield { start: fence.start, end }
      fence = undefined
    }
    start = end + 1
  }
  if (fence !== undefined) yield { start: fence.start, end: text.length }
}

/** Inline code runs from a row of backticks to the next row of the same length. */
function* listInlineCode(line: string, offset: number): Generator<CodeRange> {
  const rows = [...line.matchAll(BACKTICKS)].map((match) => ({ start: match.index, length: match[0].length }))
  const closing: (number | undefined)[] = []
  const nextOfLength = new Map<number, number>()
  for (let at = rows.length - 1; at >= 0; at--) {
    const length = rows[at]?.length ?? 0
    closing[at] = nextOfLength.get(length)
    nextOfLength.set(length, at)
  }
  for (let at = 0; at < rows.length; at++) {
    const open = rows[at]
    const closeAt = closing[at]
    const close = closeAt === undefined ? undefined : rows[closeAt]
    if (open === undefined || close === undefined || closeAt === undefined) continue
    yield { start: offset + open.start, end: offset + close.start + close.length }
    at = closeAt
  }
}
