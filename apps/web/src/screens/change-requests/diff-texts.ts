export interface TextLine {
  readonly type: 'unchanged' | 'added' | 'removed'
  readonly text: string
}

/** Past this many different lines the shortest way is not looked for: what differs is shown as one block. */
const mostSteps = 1_000

/** The fewest lines to take out and to put in, as Myers finds them. */
export function diffTexts(before: string, after: string): TextLine[] {
  const left = splitLines(before)
  const right = splitLines(after)
  let start = 0
  while (start < left.length && start < right.length && left[start] === right[start]) start++
  let end = 0
  while (end < Math.min(left.length, right.length) - start && left.at(-1 - end) === right.at(-1 - end)) end++
  const same = (lines: readonly string[]) => lines.map((text): TextLine => ({ type: 'unchanged', text }))
  return [
    ...same(left.slice(0, start)),
    ...diffMiddle(left.slice(start, left.length - end), right.slice(start, right.length - end)),
    ...same(left.slice(left.length - end)),
  ]
}

function splitLines(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n')
}

function diffMiddle(left: readonly string[], right: readonly string[]): TextLine[] {
  const trail = walk(left, right)
  if (!trail) {
    return [
      ...left.map((text): TextLine => ({ type: 'removed', text })),
      ...right.map((text): TextLine => ({ type: 'added', text })),
    ]
  }
  return traceBack(left, right, trail)
}

/** The furthest places reached after each number of steps, by diagonal; undefined when the texts differ too much. */
function walk(left: readonly string[], right: readonly string[]): Map<number, number>[] | undefined {
  const reached = new Map([[1, 0]])
  const trail: Map<number, number>[] = []
  for (let steps = 0; steps <= mostSteps; steps++) {
    trail.push(new Map(reached))
    for (let diagonal = -steps; diagonal <= steps; diagonal += 2) {
      let x = stepFrom(reached, diagonal, steps)
      while (x < left.length && x - diagonal < right.length && left[x] === right[x - diagonal]) x++
      reached.set(diagonal, x)
      if (x >= left.length && x - diagonal >= right.length) return trail
    }
  }
  return undefined
}

const goesDown = (reached: ReadonlyMap<number, number>, diagonal: number, steps: number): boolean =>
  diagonal === -steps || (diagonal !== steps && (reached.get(diagonal - 1) ?? -1) < (reached.get(diagonal + 1) ?? -1))

const stepFrom = (reached: ReadonlyMap<number, number>, diagonal: number, steps: number): number =>
  goesDown(reached, diagonal, steps) ? (reached.get(diagonal + 1) ?? 0) : (reached.get(diagonal - 1) ?? 0) + 1

function traceBack(
  left: readonly string[],
  right: readonly string[],
  trail: readonly ReadonlyMap<number, number>[],
): TextLine[] {
  const lines: TextLine[] = []
  let x = left.length
  let y = right.length
  for (let steps = trail.length - 1; steps >= 0; steps--) {
    const reached = trail[steps] ?? new Map()
    const diagonal = x - y
    const previous = goesDown(reached, diagonal, steps) ? diagonal + 1 : diagonal - 1
    const fromX = steps === 0 ? 0 : (reached.get(previous) ?? 0)
    const fromY = steps === 0 ? 0 : fromX - previous
    while (x > fromX && y > fromY) {
      lines.push({ type: 'unchanged', text: left[--x] ?? '' })
      y--
    }
    if (steps === 0) break
    if (x === fromX) lines.push({ type: 'added', text: right[--y] ?? '' })
    else lines.push({ type: 'removed', text: left[--x] ?? '' })
  }
  return lines.reverse()
}
