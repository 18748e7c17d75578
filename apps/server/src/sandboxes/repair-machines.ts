import { changeState } from './change-state.ts'
import type { Parts } from './parts.ts'
import type { SandboxProvider } from './provider.ts'
import { destroyMachine } from './stop-machine.ts'
import { listOfNode } from './store.ts'

/**
 * Before anybody is served: what a killed platform left running is ended, machines whose processes are gone say so,
 * and disks that no row owns are removed.
 */
export async function repairMachines(parts: Parts, providers: readonly SandboxProvider[]): Promise<void> {
  const { kernel, nodeId } = parts
  for (const provider of providers) await provider.reap?.()
  const rows = await listOfNode(kernel.database.db, nodeId)
  for (const { sandboxId, projectId, status } of rows) {
    // Nobody had claimed it, so nothing is in it.
    if (projectId === null) await destroyMachine(parts, sandboxId)
    else if (status === 'active' || status === 'provisioning') {
      await changeState(parts, sandboxId, [status], { status: 'stopped', statusDetail: 'The platform restarted.' })
    }
  }
  const owned = new Set(rows.map(({ externalId }) => externalId))
  for (const provider of providers) {
    for (const { externalId } of await provider.list()) if (!owned.has(externalId)) await provider.destroy(externalId)
  }
}

/** When the platform stops: its machines stopped with it. */
export async function parkMachines(parts: Parts): Promise<void> {
  for (const { sandboxId, status } of await listOfNode(parts.kernel.database.db, parts.nodeId)) {
    if (status !== 'active' && status !== 'provisioning') continue
    await changeState(parts, sandboxId, [status], { status: 'stopped', statusDetail: 'The platform stopped.' })
  }
}
