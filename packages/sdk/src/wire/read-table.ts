/** Rows by name: each line has its names, separated by spaces, then the row's cells, all of it separated by `;`. */
export function readTable(table: string): ReadonlyMap<string, readonly string[]> {
  return new Map(
    table.split('\n').flatMap((line) => {
      const [names = '', ...cells] = line.split(';')
      return names.split(' ').map((name): [string, string[]] => [name, cells])
    }),
  )
}
