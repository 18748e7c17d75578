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
  while (tail < shared - head && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++
  return [
    ...markLines('unchanged', before.slice(0, head)),
    ...markLines('removed', before.slice(head, before.length - tail)),
    ...markLines('added', after.slice(head, after.length - tail)),
    ...markLines('unchanged', before.slice(before.length - tail)),
  ]
}

function markLines(type: DiffLine['type'], lines: readonly string[]): DiffLine[] {
  return lines.map((text) => ({ type, text }))
}
