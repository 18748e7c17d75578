import type { Cgroups } from './cgroup.ts'
import { findHierarchies } from './find-hierarchies.ts'
import { openVersion1 } from './version-1.ts'
import { openVersion2 } from './version-2.ts'

export type { Cgroup, Cgroups, LimitsMet, Usage } from './cgroup.ts'
export { maxProcesses, memoryLimitBytes } from './cgroup.ts'
export { removeCgroups } from './remove-cgroups.ts'

/** Limits kept by the kernel, wherever this process may set them; undefined where it may not. */
export async function openCgroups(groupName: string): Promise<Cgroups | undefined> {
  if (process.platform !== 'linux') return undefined
  const { byController, unified } = await findHierarchies()
  const second = unified === undefined ? undefined : await openVersion2(unified, groupName)
  return second ?? openVersion1(byController, groupName)
}
