import { fillDiskLines } from './fill-disk.ts'
import type { LaunchStep } from './launch-step.ts'
import type { Launcher } from './launcher.ts'
import type { WorkspaceStart } from './spec-file.ts'

/** Mounts in a namespace of its own, which the kernel removes with the machine's last process. */
export type Mount =
  | { readonly kind: 'bind'; readonly from: string; readonly at: string; readonly isFile?: boolean }
  /** A file with a file system, which is filled for the guest the first time. */
  | {
      readonly kind: 'image'
      readonly from: string
      readonly at: string
      readonly owner: number | undefined
      readonly start: WorkspaceStart | undefined
    }

/**
 * Mounts what the machine will see; `view` is a folder hidden below the mounts that are in it. Takes milliseconds, and
 * nothing of it outlives a platform that is killed meanwhile.
 */
export function prepareMachine({ say }: Launcher, mounts: readonly Mount[], view: string): void {
  const steps = [...viewSteps(mounts, view), ...mounts.flatMap(mountSteps)]
  if (steps.length > 0) say(steps)
}

export interface Entry {
  readonly mounts: readonly Mount[]
  /** Where it puts itself under its limits. */
  readonly joinFiles: readonly string[]
  /** Undefined: stay who we are. */
  readonly hostUid: number | undefined
  readonly bwrap: string
  readonly bwrapArguments: readonly string[]
}

/**
 * Puts itself under the limits, unless whoever calls this has done so; copies the workspace, if there is one to copy;
 * becomes the machine. So whatever takes long and everything of the guest is limited, and found by whoever cleans up.
 * Said at once: what a killed platform had not finished saying is not done by halves.
 */
export function enterMachine({ say }: Launcher, { mounts, joinFiles, hostUid, bwrap, bwrapArguments }: Entry): void {
  say([
    ...joinFiles.map((file): LaunchStep => ({ do: 'join', file })),
    ...mounts.flatMap(copySteps),
    { do: 'become', uid: hostUid, command: [bwrap, ...bwrapArguments] },
  ])
}

/** Disks need nothing there: they are mounted on folders of what is bound before them. */
function viewSteps(mounts: readonly Mount[], view: string): LaunchStep[] {
  const inView = mounts.flatMap((mount) => (mount.kind === 'bind' && mount.at.startsWith(`${view}/`) ? [mount] : []))
  if (inView.length === 0) return []
  const pathsOf = (files: boolean) => inView.filter(({ isFile = false }) => isFile === files).map(({ at }) => at)
  return [{ do: 'view', at: view, folders: pathsOf(false), files: pathsOf(true) }]
}

/** A disk's top folder is root's, so a guest has no part in what is made there. */
function mountSteps(mount: Mount): LaunchStep[] {
  const { from, at } = mount
  if (mount.kind === 'bind') return [{ do: 'bind', from, at }]
  const mounted: LaunchStep = { do: 'mountDisk', image: from, at }
  return mount.start ? [mounted] : [mounted, { do: 'fillDisk', disk: at, owner: mount.owner }]
}

function copySteps(mount: Mount): LaunchStep[] {
  if (mount.kind !== 'image' || !mount.start) return []
  return [{ do: 'run', lines: fillDiskLines(mount.at, mount.owner, mount.start) }]
}
