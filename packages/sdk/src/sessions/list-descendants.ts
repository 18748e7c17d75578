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
    if (!id || !parentID) continue
    const siblings = children.get(parentID) ?? []
    siblings.push(id)
    children.set(parentID, siblings)
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
  const found = new Set<string>()
  const waiting: unknown[] = [id]
  while (waiting.length > 0) {
    const next = waiting.pop()
    if (typeof next !== 'string' || found.has(next)) continue
    found.add(next)
    // The first child is taken next.
    for (const child of [...toList(childMap.get(next))].reverse()) waiting.push(child)
  }
  return [...found].slice(1)
}
