import { readdir, rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { removeCgroups } from './cgroups/index.ts'
import { type Layout, placesOf } from './layout.ts'
import { listOfMachine, listOfUser, signal } from './processes.ts'
import { readRunning, readSpec } from './spec-file.ts'

/**
 * Ends whatever a killed platform left running. Whoever calls this holds the lock of the data directory, so a machine
 * that still runs is an orphan. Mounts need no care: they lived in namespaces that end with their processes.
 */
export async function reapMachines(layout: Layout): Promise<string[]> {
  const reaped: string[] = []
  const names = await readdir(layout.machines).catch((): string[] => [])
  for (const externalId of names) {
    const places = placesOf(layout, externalId)
    const record = await readRunning(places)
    if (record === undefined) continue
    await removeCgroups(record.cgroups)
    // With groups, everything was in one from its first moment. Without, the user is what its processes have in common.
    const hostUid = record.cgroups.length > 0 ? undefined : ((await readSpec(places))?.hostUid ?? undefined)
    await endProcesses(places.run, hostUid)
    await rm(places.running, { force: true })
    reaped.push(externalId)
  }
  return reaped
}

/** Again and again, because one of them may be starting another. */
async function endProcesses(run: string, hostUid: number | undefined): Promise<void> {
  const deadline = performance.now() + 10_000
  for (;;) {
    const pids = new Set([...(await listOfMachine(run)), ...(hostUid === undefined ? [] : await listOfUser(hostUid))])
    if (pids.size === 0) return
    for (const pid of pids) signal(pid, 'SIGKILL')
    if (performance.now() > deadline) throw new Error(`processes ${[...pids].join(', ')} of an old machine do not end`)
    await sleep(10)
  }
}
