import { CALLS } from './call-table.ts'

/** One call of the client. */
export interface ClientCall {
  /** The group it belongs to, then its own name. */
  readonly path: readonly string[]
  readonly method: string
  /** Below `/v1`, each placeholder a `:`. */
  readonly route: string
  /** What each argument after the placeholders is. */
  readonly fields: readonly string[]
  readonly timeoutMs: number | undefined
  readonly untilHeaders: boolean
}

const METHODS: Record<string, string> = { G: 'GET', P: 'POST', U: 'PUT', A: 'PATCH', D: 'DELETE' }

/** Reads the call table. */
export function parseCalls(table: string = CALLS): ClientCall[] {
  const calls: ClientCall[] = []
  let group = ''
  let base = ''
  for (const line of table.split('\n')) {
    const [first = '', second = '', ...fields] = line.trim().split(' ')
    if (!line.startsWith(' ')) {
      group = first
      base = second
      continue
    }
    const [, letter = '', seconds = '', rest = ''] = /^(.)(\d*)(.*)$/.exec(second) ?? []
    calls.push({
      path: [...group.split('.'), first],
      method: METHODS[letter] ?? '',
      route: base + rest,
      fields,
      timeoutMs: Number(seconds) * 1000 || undefined,
      untilHeaders: seconds === '0',
    })
  }
  return calls
}
