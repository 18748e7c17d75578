import type { Kernel } from '../kernel/kernel.ts'
import { touchMachines } from './store.ts'

const flushMs = 5_000

/** Notes of use, gathered so that a busy machine costs one write in a while. */
export function createTouches({ database, log }: Kernel) {
  let touched = new Set<string>()
  const flush = async () => {
    if (touched.size === 0) return
    const ids = [...touched]
    touched = new Set()
    await touchMachines(database.db, ids).catch((error: unknown) =>
      log.warn('the use of machines could not be noted', { error }),
    )
  }
  const timer = setInterval(() => void flush(), flushMs).unref()
  return {
    touch: (sandboxId: string) => void touched.add(sandboxId),
    async stop() {
      clearInterval(timer)
      await flush()
    },
  }
}
