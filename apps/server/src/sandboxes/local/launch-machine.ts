import { type ChildProcess, spawn } from 'node:child_process'
import { diskFolders } from './make-disk.ts'
import { quoteShell } from './quote-shell.ts'

/** What a start needs of the host before it is confined. */
export interface Launch {
  /** Files that the first process writes its own id to, so that everything it becomes is limited from its first moment. */
  readonly joinFiles: readonly string[]
  /** Mounts in a namespace of its own, which the kernel removes with the machine's last process. */
  readonly mounts: readonly Mount[]
  /** A folder hidden below the mounts. */
  readonly view: string
  /** Undefined: stay who we are. */
  readonly hostUid: number | undefined
  readonly bwrapArguments: readonly string[]
  /** Descriptor 4 of bubblewrap; descriptor 3 is where it reports. */
  readonly seccompFd: number | undefined
}

export type Mount =
  | { readonly kind: 'bind'; readonly from: string; readonly at: string; readonly isFile?: boolean }
  /** A file with a file system; its two folders are made for the guest when they are missing. */
  | { readonly kind: 'image'; readonly from: string; readonly at: string; readonly owner: number }

/**
 * Every step replaces the one before, so the child's pid is bubblewrap's own. It inherits no secret from the
 * environment, and is in a session of its own so that Ctrl-C reaches the server alone.
 */
export function launchMachine(launch: Launch): ChildProcess {
  const script = [
    'set -e',
    ...launch.joinFiles.map((file) => `echo $$ > ${quoteShell(file)}`),
    'ulimit -c 0',
    ...mountLines(launch),
    `exec ${[...switchUser(launch.hostUid), 'bwrap', ...launch.bwrapArguments].map(quoteShell).join(' ')}`,
  ].join('\n')
  const shell = ['sh', '-c', script]
  const [command = 'sh', ...args] = launch.mounts.length > 0 ? ['unshare', '-m', ...shell] : shell
  return spawn(command, args, {
    cwd: '/',
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe', launch.seccompFd ?? 'ignore'],
    env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' },
  })
}

function mountLines({ mounts, view }: Launch): string[] {
  if (mounts.length === 0) return []
  const at = (mount: Mount) => quoteShell(mount.at)
  const isFile = (mount: Mount) => mount.kind === 'bind' && mount.isFile === true
  const folders = mounts.filter((mount) => !isFile(mount)).map(at)
  const files = mounts.filter(isFile).map(at)
  return [
    `mount -t tmpfs -o mode=0755,size=64k,nosuid,nodev svc ${quoteShell(view)}`,
    ...(folders.length > 0 ? [`mkdir -p ${folders.join(' ')}`] : []),
    ...(files.length > 0 ? [`touch ${files.join(' ')}`] : []),
    ...mounts.flatMap((mount) => (mount.kind === 'image' ? imageLines(mount) : [bindLine(mount.from, mount.at)])),
  ]
}

const bindLine = (from: string, at: string) => `mount --bind ${quoteShell(from)} ${quoteShell(at)}`

/** Its top folder is root's, so a guest has no part in what is made there. */
function imageLines({ from, at, owner }: Extract<Mount, { kind: 'image' }>): string[] {
  const folders = diskFolders.map((name) => quoteShell(`${at}/${name}`)).join(' ')
  return [
    `mount -t ext4 -o loop,nosuid,nodev,noatime,discard ${quoteShell(from)} ${quoteShell(at)}`,
    `[ -d ${quoteShell(`${at}/home`)} ] || { mkdir -p -m 0700 ${folders}; chown ${owner}:${owner} ${folders}; chmod 0711 ${quoteShell(at)}; }`,
  ]
}

function switchUser(hostUid: number | undefined): string[] {
  if (hostUid === undefined) return []
  return ['setpriv', `--reuid=${hostUid}`, `--regid=${hostUid}`, '--clear-groups', '--no-new-privs', '--']
}
