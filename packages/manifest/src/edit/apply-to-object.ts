import type { Path } from '../issue.ts'
import { clonePlain, isMap, own, type PlainMap, put } from '../plain-data.ts'

export type ManifestChange =
  | { kind: 'set'; path: Path; value: unknown }
  | { kind: 'append'; path: Path; value: PlainMap }
  | { kind: 'remove'; path: Path }

/** What a change makes of the object; undefined when there is nothing it can apply to. The input stays as it is. */
export function applyToObject(manifest: PlainMap, change: ManifestChange): PlainMap | undefined {
  const copy = clonePlain(manifest)
  if (!isMap(copy)) return undefined
  const parent = change.path.slice(0, -1)
  const last = change.path.at(-1)
  const holder = walk(copy, parent, change.kind !== 'remove')
  if (last === undefined || holder === undefined) return undefined
  if (change.kind === 'remove') return removeFrom(holder, last) ? copy : undefined
  if (!isMap(holder) || typeof last !== 'string') return undefined
  if (change.kind === 'set') {
    put(holder, last, clonePlain(change.value))
    return copy
  }
  const list = own(holder, last) ?? []
  if (!Array.isArray(list)) return undefined
  put(holder, last, [...list, clonePlain(change.value)])
  return copy
}

/**
 * Equality of plain data: key order does not matter, `undefined` values do not count, nor empty lists and maps when
 * `ignoreEmpty` is set (a TOML section ends with its last entry).
 */
export function isSameData(left: unknown, right: unknown, ignoreEmpty = false): boolean {
  if (Array.isArray(left)) {
    if (!Array.isArray(right) || left.length !== right.length) return false
    return left.every((item, at) => isSameData(item, right[at], ignoreEmpty))
  }
  if (!isMap(left) || !isMap(right)) return Object.is(left, right)
  const keys = countedKeys(left, ignoreEmpty)
  if (keys.length !== countedKeys(right, ignoreEmpty).length) return false
  return keys.every((key) => isSameData(left[key], own(right, key), ignoreEmpty))
}

function countedKeys(map: PlainMap, ignoreEmpty: boolean): string[] {
  return Object.keys(map).filter((key) => map[key] !== undefined && !(ignoreEmpty && isEmptyTree(map[key])))
}

function isEmptyTree(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0
  return isMap(value) && Object.keys(value).every((key) => isEmptyTree(value[key]))
}

function walk(root: PlainMap, path: Path, isMaking: boolean): unknown {
  let value: unknown = root
  for (const segment of path) {
    if (Array.isArray(value) && typeof segment === 'number') value = value[segment]
    else if (isMap(value) && typeof segment === 'string') {
      if (isMaking && (own(value, segment) === undefined || own(value, segment) === null)) put(value, segment, {})
      value = own(value, segment)
    } else return undefined
  }
  return value
}

function removeFrom(holder: unknown, last: string | number): boolean {
  if (Array.isArray(holder) && typeof last === 'number') return holder.splice(last, 1).length === 1
  if (!isMap(holder) || typeof last !== 'string' || !Object.hasOwn(holder, last)) return false
  return delete holder[last]
}
