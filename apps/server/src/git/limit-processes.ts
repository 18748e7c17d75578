import { availableParallelism } from 'node:os'

const maxRunning = Math.max(8, availableParallelism() * 4)
const waiting: (() => void)[] = []
let running = 0

/** Runs at most a few short git processes at once; the rest wait their turn in order. Streams do not count. */
export async function withProcessSlot<T>(work: () => Promise<T>): Promise<T> {
  if (running >= maxRunning) await new Promise<void>((resolve) => waiting.push(resolve))
  else running += 1
  try {
    return await work()
  } finally {
    const next = waiting.shift()
    if (next) next()
    else running -= 1
  }
}
