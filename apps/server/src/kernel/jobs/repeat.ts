import type { Clock } from '../clock/index.ts'
import type { Logger } from '../log/index.ts'

export interface Repetition {
  /** Waits for a run that is under way. */
  stop(): Promise<void>
}

/** Runs again and again, never twice at once, with a pause after each run. A failure is logged and does not end it. */
export function repeat(
  { name, everyMs, log, clock }: { name: string; everyMs: number; log: Logger; clock: Clock },
  run: () => Promise<void>,
): Repetition {
  const stopping = new AbortController()
  async function loop(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        await run()
      } catch (error) {
        log.warn(`${name} failed and tries again`, { error })
      }
      await clock.sleep(everyMs, stopping.signal)
    }
  }
  const running = loop()
  return {
    async stop() {
      stopping.abort()
      await running
    },
  }
}
