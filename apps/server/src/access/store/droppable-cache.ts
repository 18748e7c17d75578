/**
 * Values that are dropped by group when something changed. A load that was under way during a drop is handed to those
 * who wait for it and not kept: it may have read the time before.
 */
export interface DroppableCache<Value> {
  /** At once when it is known, so that a decision on cached facts costs no turn of the event loop. */
  get(key: string, groupOf: (value: Value) => string | undefined, load: () => Promise<Value>): Value | Promise<Value>
  drop(group: string): void
  dropAll(): void
  readonly size: number
}

interface Entry<Value> {
  readonly value: Value
  readonly group: string
}

export function createDroppableCache<Value>(maxEntries: number, isLive: () => boolean): DroppableCache<Value> {
  const entries = new Map<string, Entry<Value>>()
  const keysOfGroup = new Map<string, Set<string>>()
  const loading = new Map<string, Promise<Value>>()
  let generation = 0

  function remove(key: string, group: string): void {
    entries.delete(key)
    const keys = keysOfGroup.get(group)
    keys?.delete(key)
    if (keys?.size === 0) keysOfGroup.delete(group)
  }

  function keep(key: string, value: Value, group: string): void {
    for (const [oldest, entry] of entries) {
      if (entries.size < maxEntries) break
      remove(oldest, entry.group)
    }
    entries.set(key, { value, group })
    keysOfGroup.set(group, (keysOfGroup.get(group) ?? new Set()).add(key))
  }

  async function load(key: string, groupOf: (value: Value) => string | undefined, read: () => Promise<Value>) {
    const startedIn = generation
    try {
      const value = await read()
      const group = groupOf(value)
      if (group !== undefined && startedIn === generation && isLive()) keep(key, value, group)
      return value
    } finally {
      if (startedIn === generation) loading.delete(key)
    }
  }

  return {
    get(key, groupOf, read) {
      // While no events arrive nobody would tell of a change.
      if (!isLive()) return read()
      const known = entries.get(key)
      if (known) return known.value
      const running = loading.get(key)
      if (running) return running
      const started = load(key, groupOf, read)
      loading.set(key, started)
      return started
    },
    drop(group) {
      generation += 1
      loading.clear()
      for (const key of keysOfGroup.get(group) ?? []) entries.delete(key)
      keysOfGroup.delete(group)
    },
    dropAll() {
      generation += 1
      loading.clear()
      entries.clear()
      keysOfGroup.clear()
    },
    get size() {
      return entries.size
    },
  }
}
