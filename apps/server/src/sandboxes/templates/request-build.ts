import type { Tx } from '../../kernel/database/index.ts'
import { newId } from '../../kernel/ids/index.ts'
import type { JobDefinition } from '../../kernel/jobs/index.ts'
import type { SandboxProvider } from '../provider.ts'
import { canRun, type Definition, identifyImage } from './definition.ts'
import type { Parts } from './parts.ts'
import type { BuildRow } from './store/builds.ts'
import { addBuild } from './store/builds.ts'
import type { Choice } from './survey.ts'

export interface BuildRequest {
  readonly projectId: string
  readonly accountId: string
  readonly definition: Definition
  readonly commit: string | null
  readonly source: NonNullable<BuildRow['source']>
  readonly anew?: boolean
}

export type BuildJob = JobDefinition<{ build_id: string }>

/** Builds at once on the whole platform: each occupies a worker that other jobs wait for. */
const lanes = 2

/**
 * Whom a build is for: the provider that serves the project, or, when that one cannot run such a template, all that
 * can, so that the template is there when the project changes over.
 */
export function targetsOf(parts: Parts, choice: Choice, definition: Definition): SandboxProvider[] {
  if (choice.active && canRun(definition, choice.active)) return [choice.active]
  return parts.providers().filter((provider) => canRun(definition, provider))
}

/** The build and the job that does it, in one transaction; one that runs already is joined. */
export async function requestBuild(
  tx: Tx,
  job: Pick<BuildJob, 'name' | 'maxAttempts'>,
  provider: SandboxProvider,
  request: BuildRequest,
): Promise<BuildRow> {
  const { row, isNew } = await addBuild(tx.db, newBuild(provider, request))
  if (isNew) await tx.enqueue(job, { build_id: row.buildId }, { queue: laneOf(row.projectId) })
  return row
}

export function newBuild(provider: SandboxProvider, request: BuildRequest) {
  const { projectId, accountId, definition, commit, source, anew = false } = request
  const isPlatform = definition.source === 'platform'
  return {
    buildId: newId(),
    accountId,
    projectId,
    slug: definition.slug,
    provider: provider.id,
    ...identifyImage(projectId, definition, provider),
    definition: {
      image: isPlatform ? (provider.baseImage ?? null) : definition.image,
      dockerfilePath: definition.dockerfilePath,
      anew,
    },
    commitSha: commit,
    source,
  }
}

export function laneOf(projectId: string): string {
  return `sandbox-builds-${Number.parseInt(projectId.slice(-4), 16) % lanes}`
}
