import { maxFiles } from '../max-files.ts'
import { measureDisk } from './measure-container.ts'
import type { RunningContainer } from './start-machine.ts'

const everyMs = 5_000
/** Counting many files takes long: the disk is busy with it for a tenth of the time at most. */
const restsPerLook = 9

/**
 * Engines bound no folder of the host, so machines are measured one after another, and one that has more on its disk,
 * or more files, than its template allows is ended. What it wrote stays, so that it can be looked at and made smaller.
 */
export function watchDisks(
  running: () => Iterable<RunningContainer>,
  end: (machine: RunningContainer, reason: string) => Promise<void>,
): { stop(): void; look(): Promise<void> } {
  let timer = setTimeout(lookAgain, everyMs).unref()
  let isStopped = false

  async function lookAgain(): Promise<void> {
    const startedAtMs = performance.now()
    // What could not be ended now is found again in the next round.
    await look().catch(() => undefined)
    if (isStopped) return
    const tookMs = performance.now() - startedAtMs
    timer = setTimeout(lookAgain, Math.max(everyMs, tookMs * restsPerLook)).unref()
  }

  async function look(): Promise<void> {
    for (const machine of [...running()]) {
      const { diskGb } = machine.spec.resources
      // One that cannot be measured now is measured in the next round.
      const found = await measureDisk(machine.places).catch(() => ({ bytes: 0, files: 0 }))
      if (found.bytes > diskGb * 1024 ** 3) {
        await end(machine, `The machine has more than ${diskGb} GB on its disk and was ended.`)
      } else if (found.files > maxFiles(diskGb)) {
        await end(machine, `The machine has more than ${maxFiles(diskGb)} files on its disk and was ended.`)
      }
    }
  }

  return {
    look,
    stop() {
      isStopped = true
      clearTimeout(timer)
    },
  }
}
