import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rmdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findHierarchies } from './find-hierarchies.ts'
import { removeCgroups } from './remove-cgroups.ts'
import { openGroup, openVersion2 } from './version-2.ts'

/** A folder of the second version, with whatever controllers this host left to it; undefined where none may be made. */
async function makeGroup(): Promise<string | undefined> {
  const { unified } = await findHierarchies()
  if (unified === undefined) return undefined
  const path = join(unified, `svc-test-${process.pid}`)
  return mkdir(path).then(
    () => path,
    () => undefined,
  )
}

test('a process of a version 2 group is frozen, thawed, counted, and ended with its group while it is frozen', async (context) => {
  const path = await makeGroup()
  if (path === undefined) return context.skip('no writable cgroup version 2 on this host')
  const child = spawn('sh', ['-c', 'while :; do :; done'])
  const ended = once(child, 'exit')
  const group = openGroup(path)
  try {
    for (const file of group.joinFiles) await writeFile(file, String(child.pid))
    await expect.poll(async () => (await group.readUsage()).cpuSeconds).toBeGreaterThan(0)
    await group.freeze()
    expect(await isFrozen(path)).toBe(true)
    await group.thaw()
    expect(await isFrozen(path)).toBe(false)
    await group.freeze()
  } finally {
    await removeCgroups(group.paths)
  }
  expect((await ended)[1]).toBe('SIGKILL')
  expect(existsSync(path)).toBe(false)
})

const isFrozen = async (path: string) => /^frozen 1$/m.test(await readFile(join(path, 'cgroup.events'), 'utf8'))

test('a version 2 tree without the controllers that limit machines is left to version 1', async (context) => {
  const path = await makeGroup()
  if (path === undefined) return context.skip('no writable cgroup version 2 on this host')
  try {
    const given = (await readFile(join(path, 'cgroup.controllers'), 'utf8')).trim().split(' ')
    if (['memory', 'pids', 'cpu'].every((name) => given.includes(name))) return context.skip('this one has them')
    expect(await openVersion2(path, 'svc')).toBeUndefined()
    expect(existsSync(join(path, 'svc'))).toBe(false)
  } finally {
    await rmdir(path)
  }
})
