import { changeState } from './change-state.ts'
import type { Parts } from './parts.ts'
import { findMachine } from './store.ts'

/** Ends its processes and keeps its disk. */
export async function stopMachine(parts: Parts, sandboxId: string): Promise<void> {
  const row = await findMachine(parts.kernel.database.db, sandboxId)
  if (!row || row.status === 'archived') return
  parts.clients.drop(row.externalId)
  await parts.requireProvider(row.provider).stop(row.externalId)
  parts.clients.drop(row.externalId)
  await changeState(parts, sandboxId, ['provisioning', 'active', 'error'], { status: 'stopped' })
}

/** Ends its processes and removes its disk. The host user is free for others only when nothing of it is left. */
export async function destroyMachine(parts: Parts, sandboxId: string): Promise<void> {
  const row = await findMachine(parts.kernel.database.db, sandboxId)
  if (!row || row.status === 'archived') return
  await parts.requireProvider(row.provider).destroy(row.externalId)
  parts.clients.drop(row.externalId)
  const from = ['provisioning', 'active', 'stopped', 'error'] as const
  await changeState(parts, sandboxId, from, { status: 'archived', hostUid: null })
}
