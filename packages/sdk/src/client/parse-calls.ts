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
  /** The fields go into the query instead of the body. */
  readonly inQuery: boolean
}

/** X and Q are D and P whose fields go into the body and into the query. */
const METHODS: Record<string, string> = {
  G: 'GET',
  P: 'POST',
  Q: 'POST',
  U: 'PUT',
  A: 'PATCH',
  D: 'DELETE',
  X: 'DELETE',
}

const tables = /* @__PURE__ */ new Map<string, ClientCall[]>()

/** Reads a call table, once. */
export function parseCalls(table: string = CALLS): ClientCall[] {
  const known = tables.get(table)
  if (known) return known
  const calls: ClientCall[] = []
  const bases = new Map<string, string>()
  let group: string[] = []
  let base = ''
  for (const line of table.split('\n')) {
    const [first = '', ...rest] = line.trim().split(' ')
    if (line.startsWith(' ')) {
      calls.push(parseCall(rest, base, [...group, first]))
      continue
    }
    group = first.split('.')
    const parent = bases.get(group.slice(0, -1).join('.'))
    const own = toWords(group.at(-1) ?? '', '-')
    base = rest[0] ?? (parent ? `${parent}/${own}` : own)
    bases.set(first, base)
  }
  tables.set(table, calls)
  return calls
}

/** Reads one call: its method letter with the limit and the rest of the path, then its fields. */
export function parseCall(
  [at = '', ...fields]: readonly string[],
  base = '',
  path: readonly string[] = [],
): ClientCall {
  const [, letter = '', seconds = '', rest = ''] = /^(.)(\d*)(.*)$/.exec(at) ?? []
  return {
    path,
    method: METHODS[letter] ?? '',
    route: base + rest.replace('/-', () => `/${toWords(path.at(-1) ?? '', '-')}`),
    fields,
    timeoutMs: Number(seconds) * 1000 || undefined,
    untilHeaders: seconds === '0',
    inQuery: /[GDQ]/.test(letter),
  }
}

/** A name in camelCase as words in lower case. */
export const toWords = (name: string, separator: string): string =>
  name.replace(/[A-Z]/g, (letter) => separator + letter.toLowerCase())
