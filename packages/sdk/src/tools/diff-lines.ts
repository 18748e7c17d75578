/** One line of a diff. */
export interface DiffLine {
  readonly type: 'added' | 'removed' | 'unchanged'
  readonly text: string
}

/** Two texts that are longer together are not compared. */
export const DIFF_LIMIT_CHARS = 262_144

/**
 * Compares two texts line by line: what they share at the start and at the end is unchanged, the rest of the old text
 * is removed and the rest of the new one added. Linear in the length of both.
 */
export function diffLines(oldText: string, newText: string): DiffLine[] {
  const before = oldText.split('\n')
  const after = newText.split('\n')
  const shared = Math.min(before.length, after.length)
  let head = 0
  while (head < shared && before[head] === after[head]) head++
  let tail = 0
  while (tail < shared - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++
  const mark = (type: DiffLine['type'], lines: string[], from: number, to: number): DiffLine[] =>
    lines.slice(from, to).map((text) => ({ type, text }))
  return [
    ...mark('unchanged', before, 0, head),
    ...mark('removed', before, head, before.length - tail),
    ...mark('added', after, head, after.length - tail),
    ...mark('unchanged', before, before.length - tail, before.length),
  ]
}
