export interface Turnstile {
  /** Runs when there is room, in the order of asking. */
  run<T>(work: () => Promise<T>): Promise<T>
}

/** At most `limit` at once: starting runtimes is heavy, and too many at once finish later than one after the other. */
export function createTurnstile(limit: number): Turnstile {
  let inside = 0
  const waiting: (() => void)[] = []
  return {
    async run(work) {
      if (inside >= limit) await new Promise<void>((resolve) => waiting.push(resolve))
      else inside += 1
      try {
        return await work()
      } finally {
        const next = waiting.shift()
        if (next) next()
        else inside -= 1
      }
    },
  }
}
