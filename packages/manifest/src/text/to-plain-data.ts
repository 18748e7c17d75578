import {
  type ErrorCode,
  isAlias,
  isScalar,
  isSeq,
  isMap as isYamlMap,
  type Pair,
  type Scalar,
  type YAMLMap,
} from 'yaml'
import { clonePlain, isMap, type PlainMap, put } from '../plain-data.ts'
import { MAX_ALIAS_NODES, MAX_DEPTH } from './limits.ts'

/** A well-formed document that is still refused: duplicate keys, unbounded aliases, too deep. */
export class YamlRefusal extends Error {
  readonly code: ErrorCode
  readonly offset: number

  constructor(code: ErrorCode, message: string, offset: number) {
    super(message)
    this.name = 'YamlRefusal'
    this.code = code
    this.offset = offset
  }
}

interface Anchored {
  value: unknown
  /** False while the walk is still inside the anchored node. */
  done: boolean
}

interface Walk {
  anchors: Map<string, Anchored>
  aliasNodes: number
  /** Start of the last node with a known place, for errors. */
  offset: number
}

/**
 * YAML nodes to plain data in one walk, in document order. An alias is a copy of what it names, so nothing in the
 * result is shared; the number of copied values is bounded. Merge keys (`<<`) are applied.
 */
export function toPlainData(root: unknown): unknown {
  return convert(root, { anchors: new Map(), aliasNodes: 0, offset: 0 }, 0)
}

function convert(node: unknown, walk: Walk, depth: number): unknown {
  if (isScalar(node))
    return node.anchor === undefined ? plainScalar(node) : convertAnchored(node.anchor, node, walk, depth)
  if (isAlias(node)) return copyAliased(node.source, startOf(node.range, walk), walk)
  if (!isYamlMap(node) && !isSeq(node)) return null
  walk.offset = startOf(node.range, walk)
  if (depth >= MAX_DEPTH) {
    throw new YamlRefusal('IMPOSSIBLE', `the document is nested deeper than ${MAX_DEPTH} levels`, walk.offset)
  }
  if (node.anchor !== undefined) return convertAnchored(node.anchor, node, walk, depth)
  return convertCollection(node, walk, depth)
}

function convertAnchored(anchor: string, node: unknown, walk: Walk, depth: number): unknown {
  const entry: Anchored = { value: null, done: false }
  walk.anchors.set(anchor, entry)
  entry.value = isScalar(node) ? plainScalar(node) : convertCollection(node, walk, depth)
  entry.done = true
  return entry.value
}

function convertCollection(node: unknown, walk: Walk, depth: number): unknown {
  if (isYamlMap(node)) return convertMap(node, walk, depth)
  return isSeq(node) ? node.items.map((item) => convert(item, walk, depth + 1)) : null
}

function convertMap(node: YAMLMap, walk: Walk, depth: number): PlainMap {
  const result: PlainMap = {}
  const merged: PlainMap[] = []
  for (const pair of node.items) {
    const key = convertKey(pair, walk)
    if (key === '<<' && isMergeKey(pair.key)) {
      merged.push(...mergeSources(convert(pair.value, walk, depth + 1), walk))
      continue
    }
    if (Object.hasOwn(result, key)) {
      throw new YamlRefusal(
        'DUPLICATE_KEY',
        `the key ${JSON.stringify(key.slice(0, 80))} is written twice`,
        keyStart(pair, walk),
      )
    }
    put(result, key, convert(pair.value, walk, depth + 1))
  }
  for (const source of merged) {
    for (const key of Object.keys(source)) if (!Object.hasOwn(result, key)) put(result, key, source[key])
  }
  return result
}

function convertKey(pair: Pair, walk: Walk): string {
  const { key } = pair
  if (isScalar(key)) {
    if (key.anchor !== undefined) walk.anchors.set(key.anchor, { value: plainScalar(key), done: true })
    return key.value === null ? '' : String(key.value)
  }
  if (isAlias(key)) {
    const value = copyAliased(key.source, startOf(key.range, walk), walk)
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return String(value)
  }
  throw new YamlRefusal('BAD_COLLECTION_TYPE', 'a key must be a plain word, not a list or a map', keyStart(pair, walk))
}

function copyAliased(name: string, offset: number, walk: Walk): unknown {
  const anchored = walk.anchors.get(name)
  if (anchored === undefined) throw new YamlRefusal('BAD_ALIAS', `the alias *${name} names no earlier anchor`, offset)
  if (!anchored.done) throw new YamlRefusal('BAD_ALIAS', `the alias *${name} stands inside its own anchor`, offset)
  return clonePlain(anchored.value, () => {
    walk.aliasNodes += 1
    if (walk.aliasNodes <= MAX_ALIAS_NODES) return
    throw new YamlRefusal('BAD_ALIAS', `aliases add more than ${MAX_ALIAS_NODES} values to the document`, offset)
  })
}

function mergeSources(value: unknown, walk: Walk): PlainMap[] {
  const sources = Array.isArray(value) ? value : [value]
  return sources.map((source) => {
    if (isMap(source)) return source
    throw new YamlRefusal('BAD_ALIAS', 'a merge key (<<) takes a map or a list of maps', walk.offset)
  })
}

export function isMergeKey(key: unknown): boolean {
  return isScalar(key) && key.value === '<<' && (key.type === undefined || key.type === 'PLAIN')
}

function plainScalar(node: Scalar): unknown {
  const { value } = node
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return value
  return node.source ?? String(value)
}

function keyStart(pair: Pair, walk: Walk): number {
  const { key } = pair
  return isScalar(key) || isYamlMap(key) || isSeq(key) || isAlias(key) ? startOf(key.range, walk) : walk.offset
}

function startOf(range: readonly number[] | null | undefined, walk: Walk): number {
  return range?.[0] ?? walk.offset
}
