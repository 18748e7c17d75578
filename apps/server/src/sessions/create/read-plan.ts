import { materializeManifest, type PlainMap, type ResolvedAgent, type ResolvedManifest } from '@svc/manifest'
import { resolveRef } from '../../git/index.ts'
import { problem } from '../../kernel/http/index.ts'
import { answerGit, type ManifestFile, type ProjectRepository, readManifest } from '../../repositories/index.ts'
import type { Parts } from '../parts.ts'

/** What the repository says at the commit that a session starts from. */
export interface Plan {
  readonly repository: ProjectRepository
  readonly baseRef: string
  readonly baseSha: string
  readonly manifest: ManifestFile | undefined
  readonly parsed: PlainMap
  readonly resolved: ResolvedManifest
}

export async function readPlan(parts: Parts, projectId: string, baseRef: string | undefined): Promise<Plan> {
  return answerGit(async () => {
    const repository = await parts.repositories.openCurrent(projectId)
    const ref = baseRef ?? repository.defaultBranch
    const baseSha = await resolveRef(repository.git, ref)
    const manifest = await readManifest(repository.git, baseSha, repository.manifestPath)
    if (manifest && manifest.parsed === null) throw unreadable(manifest)
    const parsed = manifest?.parsed ?? {}
    return { repository, baseRef: ref, baseSha, manifest, parsed, resolved: materializeManifest(parsed) }
  })
}

/** Only version 2 says which agents there are; before it every name of the runtime is one. */
export function declaresAgents({ resolved }: Pick<Plan, 'resolved'>): boolean {
  return resolved.version === 2
}

export function listAgents({ resolved }: Pick<Plan, 'resolved'>): ResolvedAgent[] {
  return resolved.agents.entries.filter(({ enabled }) => enabled)
}

function unreadable({ path, issues }: ManifestFile) {
  return problem('manifest_read', { say: `${path} cannot be read: ${issues[0]?.message ?? 'it is no YAML or TOML'}.` })
}
