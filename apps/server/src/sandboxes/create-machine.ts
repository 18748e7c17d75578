import { systemActor } from '../kernel/actor.ts'
import { problem } from '../kernel/http/index.ts'
import { newExternalId } from './external-id.ts'
import { defaultResources, type MachineInput } from './machine-input.ts'
import type { Parts } from './parts.ts'
import type { SandboxProvider, WorkspaceSource } from './provider.ts'
import { newServiceKey, sealServiceKey } from './service-key.ts'
import { addMachine, findMachine, type MachineRow, takeHostUid } from './store.ts'

export { type CreateMachineInput, defaultResources } from './machine-input.ts'

/** Providers whose machines run as users of this host. */
const ownUsers: readonly string[] = ['local', 'docker']

/** The row first, so that whatever is made for it is found again; then the disk. Repeating it changes nothing. */
export async function createMachine(parts: Parts, input: MachineInput): Promise<MachineRow> {
  const provider = parts.requireProvider(input.provider ?? parts.defaultProvider)
  if (input.image !== undefined && !provider.capabilities.images) {
    throw problem('sandbox_provider_unavailable', {
      say: `The sandbox provider "${provider.id}" runs the default template only.`,
      next: 'Choose a provider with images, such as docker, or the default template.',
    })
  }
  const { db } = parts.kernel.database
  const row =
    (await findMachine(db, input.sandboxId)) ??
    (await parts.claimWarm(input, provider)) ??
    (await addRow(parts, input, provider.id)) ??
    (await findMachine(db, input.sandboxId))
  if (!row || row.status === 'archived') throw problem('not_found')
  await makeDisk(provider, row, input.workspace)
  return row
}

/** Changes nothing when there is one. */
export function makeDisk(provider: SandboxProvider, row: MachineRow, workspace?: WorkspaceSource): Promise<void> {
  return provider.create({
    externalId: row.externalId,
    projectId: row.projectId ?? '',
    resources: row.config.resources,
    image: row.image ?? undefined,
    entrypoint: row.config.entrypoint,
    workspace,
    hostUid: row.hostUid ?? undefined,
  })
}

async function addRow(
  { kernel, nodeId, uids }: Parts,
  input: MachineInput,
  provider: string,
): Promise<MachineRow | undefined> {
  const externalId = newExternalId()
  const sealedServiceKey = await sealServiceKey(kernel.envelope, externalId, newServiceKey())
  return kernel.database.transact(systemActor, async (tx) => {
    const hostUid = uids && ownUsers.includes(provider) ? await takeHostUid(tx.db, nodeId, uids) : null
    if (hostUid === undefined) {
      throw problem('sandbox_provider_unavailable', {
        say: 'Every user id set aside for sandboxes is in use.',
        next: 'Delete sessions that are no longer needed.',
      })
    }
    return addMachine(tx.db, {
      sandboxId: input.sandboxId,
      projectId: input.projectId,
      accountId: input.accountId,
      provider,
      externalId,
      nodeId,
      hostUid,
      templateSlug: input.templateSlug ?? 'default',
      image: input.image ?? null,
      sealedServiceKey,
      config: {
        resources: input.resources ?? defaultResources,
        ...(input.entrypoint === undefined ? {} : { entrypoint: input.entrypoint }),
      },
    })
  })
}
