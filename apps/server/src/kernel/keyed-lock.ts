/**
 * One change at a time per key in this process, in the order they came. What several processes may change needs a rule
 * of its own besides: branches move by compare-and-swap, rows under the database's locks.
 */
export function createKeyedLock() {
  const tails = new Map<string, Promise<unknown>>()

  return async function withLock<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = tails.get(key) ?? Promise.resolve()
    // Whoever waits does so whatever became of the one before; its failure is its own caller's.
    const running = before.then(work, work)
    const tail = running.catch(() => undefined)
    tails.set(key, tail)
    try {
      return await running
    } finally {
      if (tails.get(key) === tail) tails.delete(key)
    }
  }
}

export type WithLock = ReturnType<typeof createKeyedLock>
