import { firstText, toList, toRecord } from '../wire/read-value.ts'

/** The least a session row must have to be placed below its parent. */
export interface SessionLink {
  readonly id: string
  readonly parentID?: string | null | undefined
}

/**
 * Child ids by parent id, in input order. Rows without a parent are left out.
 *
 * @example
 * childMapByParent([{ id: 'c', parentID: 'p' }]).get('p') // ['c']
 */
export function childMapByParent<S extends SessionLink>(sessions: readonly S[]): Map<string, string[]> {
  const children = new Map<string, string[]>()
  for (const session of toList(sessions)) {
    const row = toRecord(session)
    const id = firstText(row.id)
    const parentID = firstText(row.parentID)
    if (id === undefined || parentID === undefined) continue
    const siblings = children.get(parentID)
    if (siblings) siblings.push(id)
    else children.set(parentID, [id])
  }
  return children
}

/**
 * All sessions below one, depth first: each child, then its own descendants. A circle is walked once.
 *
 * @example
 * allDescendantIds(new Map([['p', ['c1', 'c2']], ['c1', ['g']]]), 'p') // ['c1', 'g', 'c2']
 */
export function allDescendantIds(childMap: ReadonlyMap<string, readonly string[]>, id: string): string[] {
  if (!(childMap instanceof Map)) return []
  const seen = new Set<string>([id])
  const found: string[] = []
  const waiting: unknown[] = []
  pushChildren(waiting, childMap.get(id))
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next !== 'string' || seen.has(next)) continue
    seen.add(next)
    found.push(next)
    pushChildren(waiting, childMap.get(next))
  }
  return found
}

/** Puts the children on the stack so that the first one is taken next. */
function pushChildren(stack: unknown[], children: unknown): void {
  const list = toList(children)
  for (let at = list.length - 1; at >= 0; at--) stack.push(list[at])
}
