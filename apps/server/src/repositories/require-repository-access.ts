import { materializeAgents } from '@svc/manifest'
import { readBranch } from '../git/index.ts'
import { problem } from '../kernel/http/index.ts'
import type { Principal } from '../kernel/principal.ts'
import { readManifest } from './manifest/read-manifest.ts'
import type { ProjectRepository } from './parts.ts'

/** An agent whose manifest entry says `repository_access: false` reaches no part of the repository. */
export async function requireRepositoryAccess(principal: Principal, repository: ProjectRepository): Promise<void> {
  if (principal.sessionId === undefined || !principal.agentGrant) return
  const { agent } = principal.agentGrant
  const tip = await readBranch(repository.git, repository.defaultBranch)
  const manifest = tip === null ? undefined : await readManifest(repository.git, tip, repository.manifestPath)
  if (!manifest?.parsed) return
  const entry = materializeAgents(manifest.parsed).entries.find(({ name }) => name === agent)
  if (entry?.repositoryAccess !== false) return
  throw problem('forbidden', {
    say: `The agent ${agent} has no access to the repository.`,
    next: 'Set repository_access to true for it in the manifest.',
  })
}
