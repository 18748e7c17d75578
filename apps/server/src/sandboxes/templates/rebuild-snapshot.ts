import type { operations } from '@svc/contract'
import { type Call, problem } from '../../kernel/http/index.ts'
import type { SandboxProvider } from '../provider.ts'
import { type Definition, identifyImage, needsImage } from './definition.ts'
import type { Parts } from './parts.ts'
import { readDefinitions } from './read-definitions.ts'
import { type BuildJob, requestBuild, targetsOf } from './request-build.ts'
import { readChoice, requireDefinition } from './survey.ts'

/** Throws the image away and builds it from the beginning. Machines that run keep the one they were made from. */
export async function rebuildSnapshot(
  parts: Parts,
  job: BuildJob,
  call: Call<typeof operations.sandboxes.rebuildSnapshot>,
) {
  const { projectId, accountId, actor, body } = call
  const definitions = await readDefinitions(parts, projectId)
  const slug = body?.slug ?? definitions.defaultSlug
  if (body?.slug === undefined && definitions.error !== null && definitions.commit === null) {
    throw problem('repository_unavailable', { say: definitions.error })
  }
  const definition = requireDefinition(definitions, slug)
  const choice = await readChoice(parts, projectId)
  const [first, ...others] = targetsOf(parts, choice, definition)
  if (!first) throw problem('sandbox_provider_unavailable')
  const outcomes = await Promise.all([first, ...others].map((provider) => forget(provider, projectId, definition)))
  const reachable = outcomes.filter(({ isReachable }) => isReachable).map(({ provider }) => provider)
  if (reachable.length === 0) throw problem('sandbox_provider_unavailable')
  await parts.kernel.database.transact(actor, async (tx) => {
    const { commit } = definitions
    for (const provider of reachable) {
      await requestBuild(tx, job, provider, { projectId, accountId, definition, commit, source: 'manual', anew: true })
    }
    await tx.audit({
      action: 'sandbox.rebuild',
      accountId,
      projectId,
      resourceType: 'sandbox_template',
      resourceId: slug,
      metadata: { slug, providers: reachable.map(({ id }) => id) },
    })
  })
  return {
    status: 'started' as const,
    slug,
    deleted_existing: outcomes.some(({ removed }) => removed),
    snapshot_name: identifyImage(projectId, definition, first).snapshotName,
    providers: reachable.map(({ id }) => id),
    failed_providers: outcomes.filter(({ isReachable }) => !isReachable).map(({ provider }) => provider.id),
  }
}

async function forget(provider: SandboxProvider, projectId: string, definition: Definition) {
  const isUp = await provider.check().then(({ status }) => status === 'ok' || status === 'degraded')
  if (!isUp) return { provider, isReachable: false, removed: false }
  if (!needsImage(definition, provider)) return { provider, isReachable: true, removed: false }
  try {
    const removed = (await provider.removeImage?.(identifyImage(projectId, definition, provider).snapshotName)) ?? false
    return { provider, isReachable: true, removed }
  } catch {
    // An image that cannot be removed is built over; a provider that cannot be reached shows in its build.
    return { provider, isReachable: true, removed: false }
  }
}
