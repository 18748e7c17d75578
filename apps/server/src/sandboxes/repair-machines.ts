import { changeState } from './change-state.ts'
import type { Parts } from './parts.ts'
import type { SandboxProvider } from './provider.ts'
import { destroyMachine } from './stop-machine.ts'
import { findByExternalId, listOfNode } from './store.ts'

/**
 * Before anybody is served: what a killed platform left running is ended, machines whose processes are gone say so,
 * and disks that were being made or removed are gone.
 */
export async function repairMachines(parts: Parts, providers: readonly SandboxProvider[]): Promise<void> {
  const { kernel, nodeId } = parts
  for (const provider of providers) await attempt(parts, provider, async () => provider.reap?.())
  const rows = await listOfNode(kernel.database.db, nodeId)
  for (const { sandboxId, projectId, status, provider: id } of rows) {
    const provider = providers.find((one) => one.id === id)
    // Nobody had claimed it, so nothing is in it.
    if (projectId === null && provider) await attempt(parts, provider, () => destroyMachine(parts, sandboxId))
    else if (status === 'active' || status === 'provisioning') {
      await changeState(parts, sandboxId, [status], { status: 'stopped', statusDetail: 'The platform restarted.' })
    }
  }
  for (const provider of providers) {
    await attempt(parts, provider, async () => {
      for (const { externalId } of await provider.list()) await settleDisk(parts, provider, externalId)
    })
  }
}

/** An engine that does not answer keeps nobody from their other work: its machines are looked at again next time. */
async function attempt({ kernel }: Parts, { id }: SandboxProvider, step: () => Promise<void>): Promise<void> {
  await step().catch((error: unknown) =>
    kernel.log.error('machines of an earlier run could not be cleaned up', { provider: id, error }),
  )
}

/**
 * Removes what a killed creation or deletion left. A whole machine without a row was made with another database: it is
 * somebody's work, and stays.
 */
async function settleDisk({ kernel }: Parts, provider: SandboxProvider, externalId: string): Promise<void> {
  const row = await findByExternalId(kernel.database.db, externalId)
  if (row && row.status !== 'archived') return
  if (row === undefined && (await provider.stats(externalId)) !== undefined) {
    kernel.log.warn('a machine belongs to no session of this database; its disk is kept', { externalId })
    return
  }
  await provider.destroy(externalId)
}

/** When the platform stops: its machines stopped with it. */
export async function parkMachines(parts: Parts): Promise<void> {
  for (const { sandboxId, status } of await listOfNode(parts.kernel.database.db, parts.nodeId)) {
    if (status !== 'active' && status !== 'provisioning') continue
    await changeState(parts, sandboxId, [status], { status: 'stopped', statusDetail: 'The platform stopped.' })
  }
}
