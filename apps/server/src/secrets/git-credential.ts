import type { operations } from '@svc/contract'
import { type Call, problem } from '../kernel/http/index.ts'
import { changeRepository, toConnection } from '../repositories/index.ts'
import { limitWrites } from './limit-writes.ts'
import type { Parts } from './parts.ts'

/** Kept sealed beside the repository, where fetches and pushes read it; the next one uses it. */
export async function setGitCredential(parts: Parts, call: Call<typeof operations.secrets.setGitCredential>) {
  const { projectId, body } = call
  const repository = await parts.repositories.findRepository(projectId)
  if (repository.kind !== 'remote' || repository.remoteUrl === null) throw problem('git_credential_managed')
  if (repository.installationId !== null) {
    throw problem('git_credential_managed', { say: 'An installed app reaches this repository by itself.' })
  }
  await limitWrites(parts, projectId)
  const sealedCredential = await parts.repositories.remotes.sealCredential(repository, body.token)
  const provider = body.provider ?? repository.provider
  const authMethod = repository.remoteUrl.startsWith('http') ? 'token' : 'ssh_key'
  const healthy = { status: 'active', lastErrorCode: null, lastErrorMessage: null } as const
  const row = await parts.kernel.database.transact(call.actor, async (tx) => {
    const changed = await changeRepository(tx.db, projectId, { sealedCredential, provider, authMethod, ...healthy })
    if (!changed) throw problem('not_found')
    await tx.audit({
      action: 'secret.git_credential.set',
      outcome: 'success',
      resourceType: 'repository',
      resourceId: changed.connectionId,
      after: { provider, method: authMethod },
      metadata: { rotated: repository.sealedCredential !== null },
    })
    return changed
  })
  return { configured: true as const, provider, git_connection: toConnection(row, repository.remoteUrl) }
}
