import { z } from 'zod'
import { type DiskUse, measureFolders } from '../measure-folders.ts'
import type { MachineStats } from '../provider.ts'
import type { Engine } from './engine.ts'
import type { ContainerPlaces } from './machine-folder.ts'

const Stats = z.looseObject({
  cpu_stats: z.looseObject({ cpu_usage: z.looseObject({ total_usage: z.number() }).optional() }).optional(),
  memory_stats: z.looseObject({ usage: z.number().optional() }).optional(),
  pids_stats: z.looseObject({ current: z.number().optional() }).optional(),
})

/** What it uses now. A stopped machine uses its disk only. */
export async function measureContainer(
  engine: Engine,
  id: string | undefined,
  places: ContainerPlaces,
): Promise<MachineStats> {
  const { bytes: diskBytes } = await measureDisk(places)
  if (id === undefined) return { memoryBytes: 0, cpuSeconds: 0, processes: 0, diskBytes }
  const query = { stream: 'false', 'one-shot': 'true' }
  const stats = Stats.parse(await engine.ask(`/containers/${id}/stats`, { query }))
  return {
    memoryBytes: stats.memory_stats?.usage ?? 0,
    cpuSeconds: (stats.cpu_stats?.cpu_usage?.total_usage ?? 0) / 1e9,
    processes: stats.pids_stats?.current ?? 0,
    diskBytes,
  }
}

/** In a process of its own: a million files must not hold up the platform. Links are not followed. */
export async function measureDisk({ workspace, home, run }: ContainerPlaces): Promise<DiskUse> {
  return measureFolders([workspace, home, run])
}
