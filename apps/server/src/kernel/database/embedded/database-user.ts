import { readFile } from 'node:fs/promises'
import { StartError } from '../../start-error.ts'

/** The user PostgreSQL runs as. It refuses to run as root, so root switches to an unprivileged one. */
export interface DatabaseUser {
  readonly uid: number
  readonly gid: number
  /** True when the server is root and PostgreSQL is somebody else. */
  readonly switched: boolean
}

export async function chooseDatabaseUser(owner: { uid: number; gid: number } | undefined): Promise<DatabaseUser> {
  const uid = process.getuid?.() ?? 0
  const gid = process.getgid?.() ?? 0
  if (uid !== 0) return { uid, gid, switched: false }
  if (owner !== undefined && owner.uid !== 0) return { ...owner, switched: true }
  return { ...(await findNobody()), switched: true }
}

async function findNobody(): Promise<{ uid: number; gid: number }> {
  const passwd = await readFile('/etc/passwd', 'utf8').catch(() => '')
  const fields = passwd
    .split('\n')
    .find((line) => line.startsWith('nobody:'))
    ?.split(':')
  const [uid, gid] = [Number(fields?.[2]), Number(fields?.[3])]
  if (Number.isInteger(uid) && Number.isInteger(gid) && uid > 0) return { uid, gid }
  throw new StartError(
    'PostgreSQL does not run as root, and this machine has no user `nobody` to run it as.',
    'Start the server as an ordinary user, or set DATABASE_URL to a PostgreSQL server of your own.',
  )
}
