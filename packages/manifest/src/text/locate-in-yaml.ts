import { type Document, isMap, isNode, isScalar, isSeq, type Node, type Pair, type YAMLMap } from 'yaml'
import type { Path } from '../issue.ts'
import type { LineIndex, Position } from './line-index.ts'

/** Below this many keys a scan is cheaper than an index. */
const INDEX_FROM_KEYS = 12

/** Finds the place of a path in the document tree, on demand: a document without issues never pays for positions. */
export function locateInYaml(
  document: Document.Parsed,
  lines: LineIndex,
): (path: Path, on: 'key' | 'value') => Position {
  const indexes = new WeakMap<YAMLMap, Map<string, Pair>>()
  return (path, on) => {
    let offset = startOf(document.contents) ?? 0
    let node: unknown = document.contents
    for (const [depth, segment] of path.entries()) {
      if (isSeq(node) && typeof segment === 'number') {
        node = node.items[segment]
        offset = startOf(node) ?? offset
        continue
      }
      const pair = isMap(node) ? findPair(node, String(segment), indexes) : undefined
      if (pair === undefined) break
      const keyStart = startOf(pair.key) ?? offset
      const isKeyMeant = on === 'key' && depth === path.length - 1
      offset = isKeyMeant || isEmpty(pair.value) ? keyStart : (startOf(pair.value) ?? keyStart)
      node = pair.value
    }
    return lines.positionAt(offset)
  }
}

function findPair(map: YAMLMap, key: string, indexes: WeakMap<YAMLMap, Map<string, Pair>>): Pair | undefined {
  if (map.items.length < INDEX_FROM_KEYS) return map.items.find((pair) => keyText(pair) === key)
  let index = indexes.get(map)
  if (index === undefined) {
    index = new Map(map.items.map((pair) => [keyText(pair), pair]))
    indexes.set(map, index)
  }
  return index.get(key)
}

export function keyText(pair: Pair): string {
  return isScalar(pair.key) ? (pair.key.value === null ? '' : String(pair.key.value)) : ''
}

function isEmpty(value: unknown): boolean {
  if (!isScalar(value)) return value === null
  return value.range !== null && value.range !== undefined && value.range[0] === value.range[1]
}

function startOf(node: unknown): number | undefined {
  if (!isNode(node)) return undefined
  const known: Node = node
  return known.range?.[0]
}
