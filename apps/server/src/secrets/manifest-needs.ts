import { materializeManifest, type ResolvedManifest } from '@svc/manifest'
import { Problem } from '../kernel/http/index.ts'
import type { Parts } from './parts.ts'

/** What the manifest on the default branch says about secrets. */
export interface ManifestNeeds {
  readonly status: 'loaded' | 'missing' | 'error'
  readonly path: string
  readonly error: string | undefined
  readonly required: readonly string[]
  readonly optional: readonly string[]
  /** Whether some agent is granted the secret; true where the manifest does not tell. */
  isGranted(identifier: string): boolean
}

/** A repository that cannot be read makes the answer shorter, never fail. */
export async function readManifestNeeds({ repositories, kernel }: Parts, projectId: string): Promise<ManifestNeeds> {
  try {
    const repository = await repositories.findRepository(projectId)
    const manifest = await repositories.readDefaultManifest(repository)
    if (!manifest) return { ...unknown, status: 'missing', path: repository.manifestPath }
    const { path, parsed, valid, issues } = manifest
    if (parsed === null || !valid) {
      const first = issues.find(({ severity }) => severity === 'error')?.message
      return { ...unknown, status: 'error', path, error: first ?? 'The manifest is not valid.' }
    }
    const resolved = materializeManifest(parsed)
    const { required, optional } = resolved.env
    return { status: 'loaded', path, error: undefined, required, optional, isGranted: createGrantCheck(resolved) }
  } catch (error) {
    if (Problem.isInstance(error) && error.code === 'not_found') return unknown
    kernel.log.warn('the manifest of a project could not be read', { project_id: projectId, error })
    return { ...unknown, status: 'error', error: 'The repository cannot be read.' }
  }
}

/** In version 1 an agent without an entry is unrestricted, so only version 2 can shut a secret out. */
function createGrantCheck({ version, agents }: ResolvedManifest): ManifestNeeds['isGranted'] {
  if (version !== 2) return () => true
  const grants = agents.entries.filter(({ enabled }) => enabled).map(({ secrets }) => secrets)
  return (identifier) => grants.some((grant) => grant === 'all' || (Array.isArray(grant) && grant.includes(identifier)))
}

const unknown: ManifestNeeds = {
  status: 'missing',
  path: 'svc.yaml',
  error: undefined,
  required: [],
  optional: [],
  isGranted: () => true,
}
