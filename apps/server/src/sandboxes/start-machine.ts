import { problem } from '../kernel/http/index.ts'
import { changeState } from './change-state.ts'
import { createMachine } from './create-machine.ts'
import type { Parts } from './parts.ts'
import type { BootConfig } from './provider.ts'
import { openServiceKey } from './service-key.ts'
import { findMachine, type MachineRow } from './store.ts'

/** Resolves when the daemon answers. Starting one that runs changes nothing. */
export async function startMachine(
  parts: Parts,
  sandboxId: string,
  boot: Omit<BootConfig, 'serviceKey'>,
): Promise<MachineRow> {
  const { kernel, requireProvider } = parts
  const found = await findMachine(kernel.database.db, sandboxId)
  if (!found || found.status === 'archived') throw problem('not_found')
  const provider = requireProvider(found.provider)
  if (found.status === 'active') return found
  await requireHealthy(parts, found.provider)

  await changeState(parts, sandboxId, ['provisioning', 'stopped', 'error'], { status: 'provisioning' })
  try {
    // A crash may have come between the row and the disk.
    await createMachine(parts, {
      sandboxId,
      projectId: found.projectId,
      accountId: found.accountId,
      provider: found.provider,
    })
    const serviceKey = await openServiceKey(kernel.envelope, found)
    await provider.start(found.externalId, { ...boot, serviceKey }, (reason) => noteEnd(parts, found, reason))
  } catch (error) {
    const statusDetail = error instanceof Error ? error.message : String(error)
    await changeState(parts, sandboxId, ['provisioning'], { status: 'error', statusDetail })
    throw error
  }
  const now = new Date(kernel.clock.nowMs())
  const row = await changeState(parts, sandboxId, ['provisioning'], {
    status: 'active',
    startedAt: now,
    lastUsedAt: now,
  })
  if (row) return row
  // It ended, or was stopped, in the same moment: whoever did that has told why.
  throw problem('sandbox_not_ready')
}

async function requireHealthy({ requireProvider }: Parts, id: string): Promise<void> {
  const { status, detail, next } = await requireProvider(id).check()
  if (status === 'ok' || status === 'degraded') return
  throw problem('sandbox_provider_unavailable', { ...(detail && { say: detail }), ...(next && { next }) })
}

/** Told by the provider when a machine ends that nobody stopped. */
function noteEnd(parts: Parts, { sandboxId, externalId }: MachineRow, reason: string): void {
  parts.clients.drop(externalId)
  changeState(parts, sandboxId, ['provisioning', 'active'], { status: 'error', statusDetail: reason }).catch(
    (error: unknown) => parts.kernel.log.error('the end of a machine could not be recorded', { sandboxId, error }),
  )
}
