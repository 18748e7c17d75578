import { createHash } from 'node:crypto'
import { chmod, chown, lstat, mkdir, realpath, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { StartError } from '../../start-error.ts'
import type { DatabaseUser } from './database-user.ts'

/** Where the embedded database keeps things. `home` belongs to the server, `data` and `socket` to the database user. */
export interface Layout {
  readonly home: string
  readonly data: string
  readonly socket: string
  readonly log: string
}

export const socketPort = 5432

/** A unix socket's path, with its final zero, has 108 bytes on Linux and 104 on macOS. PostgreSQL adds `.lock`. */
const socketPathLimitBytes = 103

export async function prepareLayout(dataDirectory: string, user: DatabaseUser): Promise<Layout> {
  const root = await realpath(dataDirectory)
  const home = join(root, 'postgres')
  // Root owns `home` and lets the database user pass through it, so that a database gone wrong cannot plant links there.
  await mkdir(home, { recursive: true, mode: 0o700 })
  await chmod(home, user.switched ? 0o711 : 0o700)
  const socket = chooseSocketDirectory(home, root)
  await mkdir(socket, { mode: 0o700, recursive: true })
  await ownSocketDirectory(socket, user)
  return { home, data: join(home, 'data'), socket, log: join(home, 'postgres.log') }
}

export function chooseSocketDirectory(home: string, root: string): string {
  const beside = join(home, 'socket')
  if (Buffer.byteLength(socketFile(beside)) <= socketPathLimitBytes) return beside
  const short = createHash('sha256').update(root).digest('hex').slice(0, 16)
  const below = join(tmpdir(), `svc-pg-${short}`)
  if (Buffer.byteLength(socketFile(below)) <= socketPathLimitBytes) return below
  return join('/tmp', `svc-pg-${short}`)
}

/** A socket folder outside the data directory is not left behind. */
export async function removeShortSocket(layout: Layout): Promise<void> {
  if (dirname(layout.socket) !== layout.home) await rm(layout.socket, { recursive: true, force: true })
}

export function socketFile(directory: string): string {
  return join(directory, `.s.PGSQL.${socketPort}`)
}

/** Below a temporary folder that everybody may write to, a folder somebody else made first must not be trusted. */
async function ownSocketDirectory(socket: string, user: DatabaseUser): Promise<void> {
  const found = await lstat(socket)
  const ours = found.uid === user.uid || found.uid === process.getuid?.()
  if (!found.isDirectory() || !ours) {
    throw new StartError(
      `The folder ${socket} for the database socket belongs to somebody else.`,
      `Remove ${socket}, or choose a data directory with a shorter path.`,
    )
  }
  await chmod(socket, 0o700)
  if (user.switched) await chown(socket, user.uid, user.gid)
}

/** An existing database keeps its owner; root may start a database that an ordinary user made before. */
export async function findOwner(dataDirectory: string): Promise<{ uid: number; gid: number } | undefined> {
  return stat(join(dataDirectory, 'postgres', 'data')).then(
    ({ uid, gid }) => ({ uid, gid }),
    () => undefined,
  )
}
