/** Where a line and a column, both counted from 1, are in a text. Past the end of a line is its end. */
export function findOffset(text: string, line: number, column: number): number {
  const lines = text.split('\n')
  const before = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0)
  const length = lines[line - 1]?.length ?? 0
  return Math.min(text.length, before + Math.min(Math.max(0, column - 1), length))
}
