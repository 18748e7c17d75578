import { mkdir, readFile, rmdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { MachineResources } from '../../provider.ts'
import { type Cgroup, type Cgroups, cpuPeriodMicros, maxProcesses, memoryLimitBytes } from './cgroup.ts'
import { readCount, readKeyed, waitUntil } from './read-values.ts'

const controllers = ['memory', 'pids', 'cpu']

/** Undefined where this process may not limit anybody. */
export async function openVersion2(folder: string, groupName: string): Promise<Cgroups | undefined> {
  if (!(await hasControllers(folder))) return undefined
  const home = join(folder, groupName)
  try {
    await enableBelow(folder, groupName)
    await mkdir(home, { recursive: true })
    await enable(home)
  } catch {
    // Not delegated to us: then the other limits have to do.
    return undefined
  }
  return {
    version: 2,
    pathsOf: (name) => [join(home, name)],
    async create(name, resources) {
      const path = join(home, name)
      await mkdir(path, { recursive: true })
      await setLimits(path, resources)
      return openGroup(path)
    },
  }
}

async function hasControllers(folder: string): Promise<boolean> {
  const present = (await readFile(join(folder, 'cgroup.controllers'), 'utf8').catch(() => '')).trim().split(' ')
  return controllers.every((controller) => present.includes(controller))
}

/** A group with processes of its own cannot have limited ones below it: ours move into a leaf first. */
async function enableBelow(folder: string, groupName: string): Promise<void> {
  const enabled = (await readFile(join(folder, 'cgroup.subtree_control'), 'utf8')).trim().split(' ')
  if (controllers.every((controller) => enabled.includes(controller))) return
  try {
    await enable(folder)
    return
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EBUSY')) throw error
  }
  const leaf = join(folder, `${groupName}-platform`)
  await mkdir(leaf, { recursive: true })
  const pids = (await readFile(join(folder, 'cgroup.procs'), 'utf8')).split('\n').filter(Boolean)
  for (const pid of pids) await writeFile(join(leaf, 'cgroup.procs'), pid)
  await enable(folder).catch(async (error: unknown) => {
    for (const pid of pids) await writeFile(join(folder, 'cgroup.procs'), pid)
    await rmdir(leaf)
    throw error
  })
}

async function enable(folder: string): Promise<void> {
  await writeFile(join(folder, 'cgroup.subtree_control'), controllers.map((name) => `+${name}`).join(' '))
}

async function setLimits(path: string, resources: MachineResources): Promise<void> {
  await Promise.all([
    writeFile(join(path, 'memory.max'), String(memoryLimitBytes(resources))),
    // Without swap there is no such file.
    writeFile(join(path, 'memory.swap.max'), '0').catch(() => undefined),
    writeFile(join(path, 'pids.max'), String(maxProcesses(resources))),
    writeFile(join(path, 'cpu.max'), `${Math.round(resources.cpu * cpuPeriodMicros)} ${cpuPeriodMicros}`),
  ])
}

async function setFrozen(path: string, frozen: 0 | 1): Promise<void> {
  await writeFile(join(path, 'cgroup.freeze'), String(frozen))
  await waitUntil(async () => (await readKeyed(join(path, 'cgroup.events'))).get('frozen') === frozen)
}

/** A group that is there. */
export function openGroup(path: string): Cgroup {
  return {
    paths: [path],
    joinFiles: [join(path, 'cgroup.procs')],
    joinsItself: false,
    freeze: () => setFrozen(path, 1),
    thaw: () => setFrozen(path, 0),
    async readUsage() {
      const stat = await readKeyed(join(path, 'memory.stat'))
      const cpu = await readKeyed(join(path, 'cpu.stat'))
      return {
        memoryBytes: Math.max(0, (await readCount(join(path, 'memory.current'))) - (stat.get('inactive_file') ?? 0)),
        cpuSeconds: (cpu.get('usage_usec') ?? 0) / 1e6,
        processes: await readCount(join(path, 'pids.current')),
      }
    },
    async readLimitsMet() {
      const memory = await readKeyed(join(path, 'memory.events'))
      const pids = await readKeyed(join(path, 'pids.events'))
      return { memory: memory.get('oom_kill') ?? 0, processes: pids.get('max') ?? 0 }
    },
  }
}
