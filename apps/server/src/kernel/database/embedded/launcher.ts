import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, realpath, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { StartError } from '../../start-error.ts'
import type { DatabaseUser } from './database-user.ts'

const run = promisify(execFile)

/** Starts programs as the database user, which may see the given folders under other names than the server does. */
export interface Launcher {
  /** A path below one of the folders, as the started program sees it. */
  see(path: string): string
  /** The child's pid is the program's own: every step on the way replaces the one before. */
  launch(program: string, args: readonly string[], options: LaunchOptions): ChildProcess
  /** True when the kernel itself signals the program at the death of the server. */
  readonly diesWithServer: boolean
}

export interface LaunchOptions {
  readonly stdio: ['ignore', number | 'pipe', number | 'pipe']
  /** What the program gets when the server dies. */
  readonly deathSignal: 'INT' | 'KILL'
}

interface Folders {
  readonly native: string
  readonly home: string
  readonly socket: string
}

export async function createLauncher(user: DatabaseUser, folders: Folders, dataDirectory: string): Promise<Launcher> {
  const setpriv = await hasDeathSignal()
  if (!user.switched) return plainLauncher(setpriv ? ['setpriv', '--pdeathsig'] : [])

  const blocked = await findBlocked(user, Object.values(folders))
  if (blocked.length === 0) return switchingLauncher(user, setpriv)
  if (setpriv && (await canUnshare())) return namespaceLauncher(user, folders)

  const own = await realpath(dataDirectory)
  if (blocked.every((folder) => folder === own)) {
    // Passing through is not reading: what lies inside stays 0700 and 0600.
    await chmod(own, 0o711)
    return switchingLauncher(user, setpriv)
  }
  throw new StartError(
    `PostgreSQL runs as user ${user.uid} here and cannot enter ${blocked.join(', ')}.`,
    `Run \`chmod o+x ${blocked.join(' ')}\`, or start the server as an ordinary user.`,
  )
}

function plainLauncher(prefix: readonly string[]): Launcher {
  return {
    see: (path) => path,
    diesWithServer: prefix.length > 0,
    launch(program, args, options) {
      const [command, ...rest] = prefix.length > 0 ? [...prefix, options.deathSignal, program] : [program]
      return start(command ?? program, [...rest, ...args], options)
    },
  }
}

function switchingLauncher(user: DatabaseUser, setpriv: boolean): Launcher {
  return {
    see: (path) => path,
    diesWithServer: setpriv,
    launch(program, args, options) {
      if (!setpriv) return start(program, args, options, user)
      return start('setpriv', [...privileges(user, options), program, ...args], options)
    },
  }
}

/** A private view of the file system, in which the database's folders lie below one that everybody may enter. */
function namespaceLauncher(user: DatabaseUser, folders: Folders): Launcher {
  const view = chooseViewRoot(Object.values(folders))
  const names: [string, string][] = [
    [folders.native, join(view, 'native')],
    [folders.home, join(view, 'home')],
    [folders.socket, join(view, 'socket')],
  ]
  const see = (path: string) => {
    // The socket folder usually lies below `home`: the longest match is as good as any, the files are the same.
    const found = names.find(([outside]) => path === outside || path.startsWith(`${outside}/`))
    return found === undefined ? path : join(found[1], path.slice(found[0].length))
  }
  const script = [
    'set -e',
    'view=$1; native=$2; home=$3; socket=$4; shift 4',
    'mount -t tmpfs -o mode=0755,size=64k,nosuid,nodev svc "$view"',
    'mkdir "$view/native" "$view/home" "$view/socket"',
    'mount --bind "$native" "$view/native"',
    'mount --bind "$home" "$view/home"',
    'mount --bind "$socket" "$view/socket"',
    'cd "$view"',
    'exec setpriv "$@"',
  ].join('\n')
  return {
    see,
    diesWithServer: true,
    launch(program, args, options) {
      const places = [view, folders.native, folders.home, folders.socket]
      const inside = [...privileges(user, options), see(program), ...args]
      return start('unshare', ['-m', 'sh', '-c', script, 'svc', ...places, ...inside], options)
    },
  }
}

function privileges(user: DatabaseUser, options: LaunchOptions): string[] {
  return [`--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups', '--pdeathsig', options.deathSignal]
}

/** In a session of its own, so that Ctrl-C reaches the server alone. It inherits no secret from the environment. */
function start(command: string, args: readonly string[], options: LaunchOptions, as?: DatabaseUser): ChildProcess {
  return spawn(command, args, {
    cwd: '/',
    detached: true,
    stdio: options.stdio,
    env: { PATH: process.env.PATH ?? '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C', TZ: 'UTC' },
    ...(as === undefined ? {} : { uid: as.uid, gid: as.gid }),
  })
}

/** The mount point is hidden below its new content, so none of the folders may lie there. */
function chooseViewRoot(folders: readonly string[]): string {
  const candidates = ['/mnt', '/media', '/srv', '/opt', '/tmp'].filter((candidate) => existsSync(candidate))
  const free = candidates.find((candidate) => folders.every((folder) => !`${folder}/`.startsWith(`${candidate}/`)))
  if (free !== undefined) return free
  throw new StartError(
    'PostgreSQL needs one of the folders /mnt, /media, /srv, /opt or /tmp to see its own files in.',
    'Create an empty folder /mnt, or start the server as an ordinary user.',
  )
}

async function findBlocked(user: DatabaseUser, folders: readonly string[]): Promise<string[]> {
  const blocked = new Set<string>()
  for (const folder of folders) {
    for (let path = dirname(await realpath(folder)); path !== dirname(path); path = dirname(path)) {
      const { mode, uid, gid } = await stat(path)
      const bit = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001
      if ((mode & bit) === 0) blocked.add(path)
    }
  }
  return [...blocked]
}

async function hasDeathSignal(): Promise<boolean> {
  if (process.platform !== 'linux') return false
  return succeeds('setpriv', ['--pdeathsig', 'keep', 'true'])
}

async function canUnshare(): Promise<boolean> {
  return succeeds('unshare', ['-m', 'true'])
}

async function succeeds(command: string, args: readonly string[]): Promise<boolean> {
  return run(command, args).then(
    () => true,
    () => false,
  )
}
