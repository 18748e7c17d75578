/** Rows by name: each line has its names, separated by spaces, then the row's cells, all of it separated by `;`. */
export function readTable(table: string): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(
    table.split('\n').flatMap((line) => {
      const [names = '', ...cells] = line.split(';')
      return names.split(' ').map((name) => [name, cells])
    }),
  )
}
