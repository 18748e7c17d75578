export interface Position {
  /** 1-based. */
  line: number
  column: number
}

/** Turns offsets into lines and columns; the line table is built on first use. */
export class LineIndex {
  readonly #text: string
  #starts: number[] | undefined

  constructor(text: string) {
    this.#text = text
  }

  positionAt(offset: number): Position {
    this.#starts ??= findLineStarts(this.#text)
    const starts = this.#starts
    const clamped = Math.max(0, Math.min(offset, this.#text.length))
    let low = 0
    let high = starts.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((starts[middle] ?? 0) <= clamped) low = middle
      else high = middle - 1
    }
    return { line: low + 1, column: clamped - (starts[low] ?? 0) + 1 }
  }
}

function findLineStarts(text: string): number[] {
  const starts = [0]
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}
