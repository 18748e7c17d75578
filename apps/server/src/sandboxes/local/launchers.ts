import { seccompFile } from './kit.ts'
import { type Launcher, openLauncher } from './launcher.ts'
import type { Layout } from './layout.ts'

/** Keeps a launcher ready: starting a process from one as large as the platform takes longer than all the launcher does. */
export interface Launchers {
  take(canMount: boolean): Launcher
  stop(): Promise<void>
}

/** Not at once: the machine that was just launched is starting. */
const spareAfterMs = 250

export function createLaunchers({ kit }: Layout): Launchers {
  let spare: Launcher | undefined
  let preparing: NodeJS.Timeout | undefined
  let isStopped = false

  const prepare = () => {
    preparing = undefined
    const launcher = openLauncher(seccompFile(kit), true)
    spare = launcher
    void launcher.ended.then(() => {
      if (spare === launcher) spare = undefined
    })
  }

  return {
    take(canMount) {
      if (!canMount) return openLauncher(seccompFile(kit), false)
      const taken = spare ?? openLauncher(seccompFile(kit), true)
      spare = undefined
      if (!isStopped) preparing ??= setTimeout(prepare, spareAfterMs).unref()
      return taken
    },
    async stop() {
      isStopped = true
      clearTimeout(preparing)
      const left = spare
      left?.dismiss()
      await left?.ended
    },
  }
}
