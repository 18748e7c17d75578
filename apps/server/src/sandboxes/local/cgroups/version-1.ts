import { access, constants, mkdir, mkdtemp, readFile, rmdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { MachineResources } from '../../provider.ts'
import { type Cgroup, type Cgroups, cpuPeriodMicros, maxProcesses, memoryLimitBytes } from './cgroup.ts'
import { readCount, readKeyed, waitUntil } from './read-values.ts'

/** Without these two a guest can take the whole host down. */
const needed = ['memory', 'pids']
const used = [...needed, 'cpu', 'cpuacct', 'freezer']

/** Undefined where this process may not limit anybody. */
export async function openVersion1(
  byController: ReadonlyMap<string, string>,
  groupName: string,
): Promise<Cgroups | undefined> {
  const homes = new Map<string, string>()
  for (const controller of used) {
    const folder = byController.get(controller)
    if (folder !== undefined && (await canMakeFolders(folder))) homes.set(controller, join(folder, groupName))
  }
  if (!needed.every((controller) => homes.has(controller))) return undefined

  const folderOf = (controller: string, name: string) => {
    const home = homes.get(controller)
    return home === undefined ? undefined : join(home, name)
  }
  const pathsOf = (name: string) => [...new Set([...homes.values()].map((home) => join(home, name)))]
  return {
    version: 1,
    pathsOf,
    async create(name, resources) {
      const paths = pathsOf(name)
      await Promise.all(paths.map((path) => mkdir(path, { recursive: true })))
      await setLimits((controller) => folderOf(controller, name), resources)
      return describe(paths, (controller) => folderOf(controller, name))
    },
  }
}

type FolderOf = (controller: string) => string | undefined

async function setLimits(folderOf: FolderOf, resources: MachineResources): Promise<void> {
  await Promise.all([
    limitMemory(folderOf('memory') ?? '', String(memoryLimitBytes(resources))),
    writeFile(join(folderOf('pids') ?? '', 'pids.max'), String(maxProcesses(resources))),
    limitProcessors(folderOf('cpu'), resources),
  ])
}

async function limitMemory(memory: string, limit: string): Promise<void> {
  await writeFile(join(memory, 'memory.limit_in_bytes'), limit)
  // Memory and swap together; where swap is not counted there is no such file.
  await writeFile(join(memory, 'memory.memsw.limit_in_bytes'), limit).catch(() => undefined)
}

async function limitProcessors(cpu: string | undefined, resources: MachineResources): Promise<void> {
  if (cpu === undefined) return
  await writeFile(join(cpu, 'cpu.cfs_period_us'), String(cpuPeriodMicros))
  await writeFile(join(cpu, 'cpu.cfs_quota_us'), String(Math.round(resources.cpu * cpuPeriodMicros)))
}

function describe(paths: readonly string[], folderOf: FolderOf): Cgroup {
  const memory = folderOf('memory') ?? ''
  const pids = folderOf('pids') ?? ''
  const setFreezer = async (state: 'FROZEN' | 'THAWED') => {
    const freezer = folderOf('freezer')
    if (freezer === undefined) return
    const file = join(freezer, 'freezer.state')
    await writeFile(file, state)
    await waitUntil(async () => (await readFile(file, 'utf8')).trim() === state)
  }
  return {
    paths,
    joinFiles: paths.map((path) => join(path, 'tasks')),
    joinsItself: true,
    freeze: () => setFreezer('FROZEN'),
    thaw: () => setFreezer('THAWED'),
    async readUsage() {
      const stat = await readKeyed(join(memory, 'memory.stat'))
      const used = await readCount(join(memory, 'memory.usage_in_bytes'))
      const cpu = folderOf('cpuacct')
      return {
        memoryBytes: Math.max(0, used - (stat.get('total_inactive_file') ?? 0)),
        cpuSeconds: cpu === undefined ? 0 : (await readCount(join(cpu, 'cpuacct.usage'))) / 1e9,
        processes: await readCount(join(pids, 'pids.current')),
      }
    },
    async readLimitsMet() {
      const control = await readKeyed(join(memory, 'memory.oom_control'))
      const events = await readKeyed(join(pids, 'pids.events'))
      return { memory: control.get('oom_kill') ?? 0, processes: events.get('max') ?? 0 }
    },
  }
}

async function canMakeFolders(folder: string): Promise<boolean> {
  try {
    await access(folder, constants.W_OK)
    // A name of its own: another server may look at the same moment.
    await rmdir(await mkdtemp(join(folder, 'svc-probe-')))
    return true
  } catch {
    // Read-only, or somebody else's: then the other limits have to do.
    return false
  }
}
