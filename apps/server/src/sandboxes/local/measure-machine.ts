import { readFile, stat } from 'node:fs/promises'
import { measureFolders } from '../measure-folders.ts'
import type { MachineStats } from '../provider.ts'
import type { MachinePlaces } from './layout.ts'
import { listOfMachine } from './processes.ts'
import type { RunningMachine } from './running-machine.ts'
import type { LocalSpec } from './spec-file.ts'

const pageBytes = 4096
const ticksPerSecond = 100

export async function measureMachine(
  spec: LocalSpec,
  places: MachinePlaces,
  machine: RunningMachine | undefined,
): Promise<MachineStats> {
  const diskBytes = await measureDisk(spec, places)
  if (machine === undefined) return { memoryBytes: 0, cpuSeconds: 0, processes: 0, diskBytes }
  const usage = machine.group ? await machine.group.readUsage() : await measureProcesses(places.run)
  return { ...usage, diskBytes }
}

/** What the disk takes on the host. */
export async function measureDisk({ disk }: LocalSpec, places: MachinePlaces): Promise<number> {
  if (disk === 'image') return (await stat(places.image).catch(() => ({ blocks: 0 }))).blocks * 512
  return (await measureFolders([places.disk])).bytes
}

/** Without limits of the kernel's there is nobody who counts: the processes are added up. */
export async function measureProcesses(run: string) {
  const pids = await listOfMachine(run)
  let memoryBytes = 0
  let cpuSeconds = 0
  for (const pid of pids) {
    const memory = await readFile(`/proc/${pid}/statm`, 'utf8').catch(() => '')
    memoryBytes += Number(memory.split(' ')[1] ?? 0) * pageBytes
    const times = (await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')).split(') ')[1]?.split(' ')
    cpuSeconds += (Number(times?.[11] ?? 0) + Number(times?.[12] ?? 0)) / ticksPerSecond
  }
  return { memoryBytes, cpuSeconds, processes: pids.length }
}
