import { fillDiskLines } from './fill-disk.ts'
import type { Launcher } from './launcher.ts'
import { quoteShell } from './quote-shell.ts'
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
  say(['set -e', 'ulimit -c 0', ...mountLines(mounts, view)])
}

export interface Entry {
  readonly mounts: readonly Mount[]
  /** Undefined: stay who we are. */
  readonly hostUid: number | undefined
  readonly bwrap: string
  readonly bwrapArguments: readonly string[]
}

/**
 * Copies the workspace, if there is one to copy, and becomes the machine. Whoever calls this has limited the launcher
 * before, so that whatever takes long and everything of the guest is limited, and found by whoever cleans up.
 */
export function enterMachine({ say }: Launcher, { mounts, hostUid, bwrap, bwrapArguments }: Entry): void {
  const command = [...switchUser(hostUid), bwrap, ...bwrapArguments].map(quoteShell).join(' ')
  // Read as a whole before any of it runs: what a killed platform had not finished saying is not done by halves.
  say(['{', ...mounts.flatMap(copyLines), `exec ${command} </dev/null`, '}'])
}

function mountLines(mounts: readonly Mount[], view: string): string[] {
  const at = (mount: Mount) => quoteShell(mount.at)
  const isFile = (mount: Mount) => mount.kind === 'bind' && mount.isFile === true
  const inView = mounts.filter((mount) => mount.at.startsWith(`${view}/`))
  const folders = inView.filter((mount) => !isFile(mount)).map(at)
  const files = inView.filter(isFile).map(at)
  return [
    ...(inView.length > 0 ? [`mount -t tmpfs -o mode=0755,size=64k,nosuid,nodev svc ${quoteShell(view)}`] : []),
    ...(folders.length > 0 ? [`mkdir -p ${folders.join(' ')}`] : []),
    ...(files.length > 0 ? [`touch ${files.join(' ')}`] : []),
    ...mounts.flatMap((mount) => (mount.kind === 'image' ? imageLines(mount) : [bindLine(mount.from, mount.at)])),
  ]
}

const bindLine = (from: string, at: string) => `mount --bind ${quoteShell(from)} ${quoteShell(at)}`

/** Its top folder is root's, so a guest has no part in what is made there. */
function imageLines({ from, at, owner, start }: Extract<Mount, { kind: 'image' }>): string[] {
  const mount = `mount -t ext4 -o loop,nosuid,nodev,noatime,discard ${quoteShell(from)} ${quoteShell(at)}`
  return [mount, ...(start ? [] : fillDiskLines(at, owner, undefined))]
}

function copyLines(mount: Mount): string[] {
  return mount.kind === 'image' && mount.start ? fillDiskLines(mount.at, mount.owner, mount.start) : []
}

function switchUser(hostUid: number | undefined): string[] {
  if (hostUid === undefined) return []
  return ['setpriv', `--reuid=${hostUid}`, `--regid=${hostUid}`, '--clear-groups', '--no-new-privs', '--']
}
