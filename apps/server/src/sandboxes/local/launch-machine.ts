import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { shellDescriptors } from './early-shell.ts'
import { fillDiskLines } from './fill-disk.ts'
import { quoteShell } from './quote-shell.ts'
import type { WorkspaceStart } from './spec-file.ts'

/** What a start needs of the host before it is confined. */
export interface Launch {
  /** Files that the first process writes its own id to, so that everything the guest gets is limited from its first moment. */
  readonly joinFiles: readonly string[]
  /** Mounts in a namespace of its own, which the kernel removes with the machine's last process. */
  readonly mounts: readonly Mount[]
  /** A folder hidden below the mounts that are in it. */
  readonly view: string
  /** Undefined: stay who we are. */
  readonly hostUid: number | undefined
  readonly bwrap: string
  readonly bwrapArguments: readonly string[]
  /** An open file. */
  readonly seccompFd: number
  /** Reads nothing, takes nothing: put in place of what this process itself inherited. */
  readonly nullFd: number
}

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
 * Every step replaces the one before, so the child's pid is bubblewrap's own. It inherits no secret from the
 * environment, and is in a session of its own so that Ctrl-C reaches the server alone.
 */
export function launchMachine(launch: Launch): ChildProcess {
  const script = [
    'set -e',
    // Each may take the kernel some milliseconds, but together no longer than one. Nothing of the guest runs before.
    ...launch.joinFiles.map((file, index) => `echo $$ > ${quoteShell(file)} & joined${index}=$!`),
    'ulimit -c 0',
    ...mountLines(launch),
    ...launch.joinFiles.map((_, index) => `wait "$joined${index}"`),
    `exec ${[...switchUser(launch.hostUid), launch.bwrap, ...launch.bwrapArguments].map(quoteShell).join(' ')}`,
  ].join('\n')
  const shell = ['sh', '-c', script]
  const [command = 'sh', ...args] = launch.mounts.length > 0 ? ['unshare', '-m', ...shell] : shell
  return spawn(command, args, {
    cwd: '/',
    detached: true,
    stdio: describeStdio(launch),
    env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' },
  })
}

/** Descriptors of bubblewrap's beyond the usual three; those of the first shell follow. */
export const descriptors = { status: 3, seccomp: 4, boot: 5 } as const

/**
 * Node closes what it opened itself, but hands down what it inherited from whoever started the platform. A guest must
 * get none of that, so something empty takes its place.
 */
function describeStdio({ seccompFd, nullFd }: Launch): StdioOptions {
  const own: (number | 'ignore' | 'pipe')[] = [
    'ignore',
    'pipe',
    'pipe',
    'pipe',
    seccompFd,
    'pipe',
    'pipe',
    'pipe',
    'pipe',
  ]
  for (const fd of listInherited()) {
    while (own.length < fd) own.push('ignore')
    own[fd] ??= nullFd
  }
  return own
}

function listInherited(): number[] {
  const fds = readdirSync('/proc/self/fd').map(Number)
  return fds.filter((fd) => fd > shellDescriptors.stderr && isInherited(fd)).sort((a, b) => a - b)
}

const closeOnExec = 0o2000000

function isInherited(fd: number): boolean {
  try {
    const flags = /^flags:\s+(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'))?.[1] ?? '0'
    return (Number.parseInt(flags, 8) & closeOnExec) === 0
  } catch {
    // Closed since it was listed.
    return false
  }
}

function mountLines({ mounts, view }: Launch): string[] {
  if (mounts.length === 0) return []
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
  return [mount, ...fillDiskLines(at, owner, start)]
}

function switchUser(hostUid: number | undefined): string[] {
  if (hostUid === undefined) return []
  return ['setpriv', `--reuid=${hostUid}`, `--regid=${hostUid}`, '--clear-groups', '--no-new-privs', '--']
}
