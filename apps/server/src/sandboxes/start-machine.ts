import { problem } from '../kernel/http/index.ts'
import { sayError } from '../kernel/log/index.ts'
import { changeState } from './change-state.ts'
import { makeDisk } from './create-machine.ts'
import type { OpenMachine } from './open-machine.ts'
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
  if (!provider.isWarm?.(found.externalId)) await requireHealthy(parts, found.provider)

  if (found.status !== 'provisioning') {
    await changeState(parts, sandboxId, ['stopped', 'error'], { status: 'provisioning' })
  }
  let started: OpenMachine | undefined
  try {
    // A crash may have come between the row and the disk.
    const [serviceKey] = await Promise.all([openServiceKey(kernel.envelope, found), makeDisk(provider, found)])
    await provider.start(found.externalId, { ...boot, serviceKey }, (reason) => noteEnd(parts, found, reason))
    started = { externalId: found.externalId, sandboxId, provider, serviceKey }
  } catch (error) {
    await changeState(parts, sandboxId, ['provisioning'], { status: 'error', statusDetail: sayError(error) })
    throw error
  }
  const now = new Date(kernel.clock.nowMs())
  const row = await changeState(parts, sandboxId, ['provisioning'], {
    status: 'active',
    startedAt: now,
    lastUsedAt: now,
  })
  if (row && started) parts.clients.remember(started)
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
