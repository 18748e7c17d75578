import { isFullSha } from './check-ref.ts'
import { pathFromBytes } from './quote-path.ts'

export interface MergeConflict {
  readonly path: string
  /** git's names: `contents`, `modify/delete`, `rename/delete`, `add/add`, `binary`, ... */
  readonly types: readonly string[]
}

/**
 * Reads `merge-tree --write-tree -z --messages`: the tree, `<mode> <id> <stage>\t<path>` per conflicted stage, an empty
 * field, then messages of `<count>, <path>..., <type>, <text>`.
 */
export function parseMergeTree(output: Buffer): { tree: string; conflicts: MergeConflict[] } | null {
  const fields = splitFields(output)
  const tree = fields[0]?.toString('latin1') ?? ''
  if (!isFullSha(tree)) return null
  const types = new Map<string, Set<string>>()
  const withBase = new Set<string>()
  let at = 1
  for (; at < fields.length; at += 1) {
    const field = fields[at]
    if (!field || field.length === 0) break
    const tab = field.indexOf(0x09)
    const path = pathFromBytes(field.subarray(tab + 1))
    types.set(path, new Set())
    if (field[tab - 1] === 0x31) withBase.add(path)
  }
  at += 1
  while (at < fields.length) {
    const count = Number(fields[at]?.toString('latin1'))
    if (!Number.isSafeInteger(count) || count < 0) break
    const paths = fields.slice(at + 1, at + 1 + count)
    const type = /^CONFLICT \((.+)\)$/.exec(fields[at + 1 + count]?.toString('utf8') ?? '')?.[1]
    for (const path of type ? paths : []) {
      const name = pathFromBytes(path)
      types.set(name, (types.get(name) ?? new Set()).add(type ?? ''))
    }
    at += count + 3
  }
  const name = (path: string, type: string) => (type === 'contents' && !withBase.has(path) ? 'add/add' : type)
  const conflicts = [...types].map(([path, found]) => ({ path, types: [...found].map((type) => name(path, type)) }))
  return { tree, conflicts }
}

function splitFields(output: Buffer): Buffer[] {
  const fields: Buffer[] = []
  let from = 0
  for (let end = output.indexOf(0); end !== -1; end = output.indexOf(0, from)) {
    fields.push(output.subarray(from, end))
    from = end + 1
  }
  return fields
}
