/** A decoded map. Keys are whatever the author wrote, `__proto__` included: read with `own`, write with `put`. */
export type PlainMap = Record<string, unknown>

export function isMap(value: unknown): value is PlainMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function own(map: PlainMap, key: string): unknown {
  return Object.hasOwn(map, key) ? map[key] : undefined
}

export function ownText(map: PlainMap, key: string): string | undefined {
  const value = own(map, key)
  return typeof value === 'string' ? value : undefined
}

export function ownMap(map: PlainMap, key: string): PlainMap | undefined {
  const value = own(map, key)
  return isMap(value) ? value : undefined
}

export function ownList(map: PlainMap, key: string): readonly unknown[] {
  const value = own(map, key)
  return Array.isArray(value) ? value : []
}

/** Sets an own property even for `__proto__`, which plain assignment would turn into a prototype change. */
export function put(map: PlainMap, key: string, value: unknown): void {
  if (key !== '__proto__') {
    map[key] = value
    return
  }
  Object.defineProperty(map, key, { value, writable: true, enumerable: true, configurable: true })
}

export function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
}

/** A deep copy of plain data; `spend` is called once per node and may throw to bound the work. */
export function clonePlain(value: unknown, spend?: () => void): unknown {
  spend?.()
  if (Array.isArray(value)) return value.map((item) => clonePlain(item, spend))
  if (!isMap(value)) return value
  const copy: PlainMap = {}
  for (const key of Object.keys(value)) put(copy, key, clonePlain(value[key], spend))
  return copy
}
