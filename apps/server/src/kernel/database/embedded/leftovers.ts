import { execFile } from 'node:child_process'
import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { StartError } from '../../start-error.ts'
import { type Layout, socketFile } from './layout.ts'

const run = promisify(execFile)

/**
 * Makes the data folder safe to start in, whatever the last run left behind. Whoever calls this holds the lock of the
 * data directory, so every PostgreSQL process found at work in it is an orphan of a server that died.
 */
export async function clearLeftovers(layout: Layout, stopTimeoutMs: number): Promise<void> {
  await endOrphans(layout, stopTimeoutMs)
  // Only now: while one orphan lives, this file is what keeps a second PostgreSQL from writing to the same data.
  await rm(join(layout.data, 'postmaster.pid'), { force: true })
  await rm(socketFile(layout.socket), { force: true })
  await rm(`${socketFile(layout.socket)}.lock`, { force: true })
}

async function endOrphans(layout: Layout, stopTimeoutMs: number): Promise<void> {
  const main = await readPostmasterPid(layout.data)
  const orphans = await findOrphans(layout.data, main)
  if (main !== undefined && orphans.includes(main)) signal(main, 'SIGINT')
  // Without their main process the others leave by themselves.
  if (await waitUntilGone(layout.data, main, stopTimeoutMs)) return
  for (const pid of await findOrphans(layout.data, main)) signal(pid, 'SIGKILL')
  if (await waitUntilGone(layout.data, main, 5_000)) return
  throw new StartError(
    `PostgreSQL processes of an earlier run (${(await findOrphans(layout.data, main)).join(', ')}) do not end.`,
    'End them by hand, then start again.',
  )
}

async function waitUntilGone(data: string, main: number | undefined, timeoutMs: number): Promise<boolean> {
  const deadline = performance.now() + timeoutMs
  for (;;) {
    if ((await findOrphans(data, main)).length === 0) return true
    if (performance.now() > deadline) return false
    await sleep(20)
  }
}

/** PostgreSQL processes whose working folder is the data folder. Any other live process that has the recorded pid is not one. */
export async function findOrphans(data: string, main?: number): Promise<number[]> {
  const folder = await stat(data).catch(() => undefined)
  if (folder === undefined) return []
  if (process.platform !== 'linux') return main !== undefined && (await looksLikePostgres(main, data)) ? [main] : []
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  const found = await Promise.all(
    pids.map(async (pid) => {
      const comm = await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '')
      if (comm.trim() !== 'postgres') return false
      // Device and inode, because a process in its own mount namespace has another name for the same folder.
      const cwd = await stat(`/proc/${pid}/cwd`).catch(() => undefined)
      return cwd !== undefined && cwd.ino === folder.ino && cwd.dev === folder.dev
    }),
  )
  return pids.filter((_, index) => found[index])
}

async function looksLikePostgres(pid: number, data: string): Promise<boolean> {
  return run('ps', ['-o', 'command=', '-p', String(pid)]).then(
    ({ stdout }) => stdout.includes('postgres') && stdout.includes(data),
    () => false,
  )
}

/** Undefined for a missing, half-written or garbled file. */
async function readPostmasterPid(data: string): Promise<number | undefined> {
  const text = await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => '')
  const pid = Number(text.split('\n')[0])
  return Number.isInteger(pid) && pid > 1 ? pid : undefined
}

/** True once the file says that the process with this pid serves. */
export async function isReady(data: string, pid: number): Promise<boolean> {
  const text = await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => '')
  const lines = text.split('\n')
  return Number(lines[0]) === pid && lines[7]?.trim() === 'ready'
}

export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    // Gone already, which is what every caller wants.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}
