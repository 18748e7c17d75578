import { readdir, readFile, rmdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { signal } from '../processes.ts'

/** Ends every process in the groups, frozen or not, and removes them. Groups that are gone are fine. */
export async function removeCgroups(paths: readonly string[]): Promise<void> {
  const deadline = performance.now() + 10_000
  for (;;) {
    const pids = new Set<number>()
    for (const path of paths) for (const pid of await listPids(path)) pids.add(pid)
    for (const pid of pids) signal(pid, 'SIGKILL')
    for (const path of paths) await thaw(path)
    const left = await Promise.all(paths.map(tryRemove))
    if (left.every((gone) => gone)) return
    if (performance.now() > deadline)
      throw new Error(`${paths.join(', ')} cannot be removed: something in it does not end`)
    await sleep(5)
  }
}

async function listPids(path: string): Promise<number[]> {
  const text = await readFile(join(path, 'cgroup.procs'), 'utf8').catch(() => '')
  return text.split('\n').filter(Boolean).map(Number)
}

/** A frozen process gets its signal only when it thaws. */
async function thaw(path: string): Promise<void> {
  const files = await readdir(path).catch((): string[] => [])
  if (files.includes('freezer.state')) await writeFile(join(path, 'freezer.state'), 'THAWED').catch(() => undefined)
  if (files.includes('cgroup.freeze')) await writeFile(join(path, 'cgroup.freeze'), '0').catch(() => undefined)
}

async function tryRemove(path: string): Promise<boolean> {
  try {
    await rmdir(path)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ENOENT'
  }
}
