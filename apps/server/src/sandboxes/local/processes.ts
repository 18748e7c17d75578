import { readdir, readFile, stat } from 'node:fs/promises'
import { hostRunFolder } from './bwrap-arguments.ts'

/** Every process id of the host. */
export async function listPids(): Promise<number[]> {
  return (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
}

/** Processes of a user, whatever they run. */
export async function listOfUser(uid: number): Promise<number[]> {
  const pids = await listPids()
  const owners = await Promise.all(pids.map((pid) => readUid(pid)))
  return pids.filter((_, index) => owners[index] === uid)
}

/** Processes that see this folder of the host as theirs: those of one machine, whoever they say they are. */
export async function listOfMachine(run: string): Promise<number[]> {
  const folder = await stat(run).catch(() => undefined)
  if (folder === undefined) return []
  const pids = await listPids()
  const found = await Promise.all(
    pids.map(async (pid) => {
      const seen = await stat(`/proc/${pid}/root${hostRunFolder}`).catch(() => undefined)
      return seen !== undefined && seen.ino === folder.ino && seen.dev === folder.dev
    }),
  )
  return pids.filter((_, index) => found[index])
}

/** The direct children of a process. */
export async function listChildren(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
  return text.split(' ').filter(Boolean).map(Number)
}

export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    // Gone already, which is what every caller wants.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

/** Neither stopped nor ended. */
export async function isMoving(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return /^State:\s+[^TtZX]/m.test(status)
}

async function readUid(pid: number): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  // A zombie holds nothing and can do nothing.
  if (/^State:\s+Z/m.test(status)) return undefined
  const uid = /^Uid:\s+(\d+)/m.exec(status)?.[1]
  return uid === undefined ? undefined : Number(uid)
}
