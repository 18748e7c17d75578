/** Lets so many run at once; the others wait in line. */
export interface Slots {
  run<Result>(work: () => Promise<Result>): Promise<Result>
}

export function createSlots(limit: number): Slots {
  let running = 0
  const waiting: (() => void)[] = []
  return {
    async run(work) {
      if (running >= limit) await new Promise<void>((resolve) => waiting.push(resolve))
      else running += 1
      try {
        return await work()
      } finally {
        // The place goes straight to the next in line, so that nobody who comes later overtakes.
        const next = waiting.shift()
        if (next) next()
        else running -= 1
      }
    },
  }
}
