import { type Launcher, type LauncherKind, openLauncher } from './launcher.ts'

/** Keeps a launcher ready: starting a process from one as large as the platform takes longer than all the launcher does. */
export interface Launchers {
  take(canMount: boolean): Launcher
  stop(): Promise<void>
}

/** Not at once: the machine that was just launched is starting. */
const spareAfterMs = 250

/** Each has the system call filter open, which its machine is to have. */
export function createLaunchers(kind: LauncherKind, seccompFile: string): Launchers {
  let spare: Launcher | undefined
  let preparing: NodeJS.Timeout | undefined
  let isStopped = false

  const prepare = () => {
    preparing = undefined
    try {
      const launcher = openLauncher(kind, seccompFile, true)
      spare = launcher
      void launcher.ended.then(() => {
        if (spare === launcher) spare = undefined
      })
    } catch {
      // Without one the next machine opens its own, and tells what is wrong.
      spare = undefined
    }
  }

  return {
    take(canMount) {
      if (!canMount) return openLauncher(kind, seccompFile, false)
      const taken = spare ?? openLauncher(kind, seccompFile, true)
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
