/** Runs every side once per round, in turn, and gives the median of each: noise that comes and goes hits all alike. */
export async function alternate<Side>(
  rounds: number,
  sides: readonly Side[],
  measure: (side: Side) => Promise<number>,
): Promise<number[]> {
  const values: number[][] = sides.map(() => [])
  for (const side of sides) await measure(side)
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, side] of sides.entries()) values[index]?.push(await measure(side))
  }
  return values.map(median)
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}

export function formatTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((cell, column) => Math.max(cell.length, ...rows.map((row) => row[column]?.length ?? 0)))
  const line = (row: readonly string[]) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')
  return [line(head), widths.map((width) => '-'.repeat(width)).join('  '), ...rows.map(line)].join('\n')
}
