import { z } from 'zod'
import { systemActor } from '../../kernel/actor.ts'
import { defineJob } from '../../kernel/jobs/index.ts'
import { projectChanged } from '../../projects/index.ts'
import type { SandboxProvider } from '../provider.ts'
import { BuildError, isWorthRetrying, toBuildError } from './build-error.ts'
import { canRun, identifyImage, needsImage } from './definition.ts'
import type { Parts } from './parts.ts'
import { readDefinitions } from './read-definitions.ts'
import { newBuild } from './request-build.ts'
import { runBuild } from './run-build.ts'
import type { TransitionJob } from './set-provider.ts'
import { addBuild, endBuild, findBuild } from './store/builds.ts'
import { changeChoice, findTransition, lockChoice, moveTransition, type TransitionRow } from './store/choices.ts'
import { requireDefinition } from './survey.ts'

const attempts = 8
/** Commits that may arrive while it is prepared before it starts over as a new attempt. */
const rounds = 5

/**
 * Prepare, verify, activate. Every step may be cut off and repeated: what was built is found again by its name, and
 * the change itself is one transaction. The old provider serves until then.
 */
export function createTransitionJob(parts: Parts): TransitionJob {
  const { db } = parts.kernel.database
  return defineJob({
    name: 'sandbox.transition',
    payload: z.object({ transition_id: z.string() }),
    maxAttempts: attempts,
    retryDelayMs: (attempt) => Math.min(attempt * 5_000, 60_000),
    async run({ transition_id }, { attempt, signal }) {
      const row = await findTransition(db, transition_id)
      if (!row || isOver(row)) return
      try {
        await prepare(parts, row, signal)
        await activate(parts, row)
      } catch (error) {
        if (error instanceof Superseded) return
        const failure = toBuildError(error)
        const isFinal = attempt >= attempts || !isWorthRetrying(failure.category)
        await moveTransition(db, transition_id, {
          attempts: row.attempts + 1,
          lastError: failure.message.slice(0, 2_000),
          errorClass: failure.category,
          ...(isFinal && !signal.aborted ? { status: 'failed' as const } : {}),
        })
        if (!isFinal || signal.aborted) throw error
      }
    },
  })
}

/** A newer request took its place. */
class Superseded extends Error {}

function isOver({ status }: TransitionRow): boolean {
  return ['activated', 'failed', 'superseded', 'cancelled'].includes(status)
}

/** Builds until what was built is what is declared: a commit that arrives meanwhile is built first. */
async function prepare(parts: Parts, row: TransitionRow, signal: AbortSignal): Promise<void> {
  const { projectId, accountId, transitionId, targetProvider } = row
  for (let round = 0; round < rounds; round++) {
    const provider = requireProvider(parts, targetProvider)
    const { definition, commit } = await readPrimary(parts, projectId)
    if (!canRun(definition, provider)) {
      throw new BuildError('runtime', `${targetProvider} runs only the default template, not ${definition.slug}.`)
    }
    const { snapshotName } = identifyImage(projectId, definition, provider)
    await move(parts, transitionId, { status: 'building', snapshotName, commitSha: commit })
    await build(parts, provider, { projectId, accountId, definition, commit, source: 'background' }, signal)
    await verify(provider, needsImage(definition, provider) ? snapshotName : undefined)
    const now = await readPrimary(parts, projectId)
    if (identifyImage(projectId, now.definition, provider).snapshotName !== snapshotName) continue
    await move(parts, transitionId, { status: 'ready', readyAt: new Date(), externalTemplateId: snapshotName })
    return
  }
  throw new BuildError('provider', 'The template changed while it was built, again and again.')
}

async function build(
  parts: Parts,
  provider: SandboxProvider,
  request: Parameters<typeof newBuild>[1],
  signal: AbortSignal,
): Promise<void> {
  const { db } = parts.kernel.database
  const { row, isNew } = await addBuild(db, newBuild(provider, request))
  // Somebody else builds this image; whoever is first, the result is the same. A job that died is found by the sweep.
  if (!isNew && row.source !== 'background') throw new BuildError('provider', 'The image is being built already.')
  try {
    await runBuild(parts, row, signal)
  } catch (error) {
    const failure = toBuildError(error)
    const end = { status: 'failed' as const, error: failure.message.slice(0, 4_000), errorCategory: failure.category }
    if (!signal.aborted) await endBuild(db, row.buildId, end)
    throw error
  }
  const ended = await findBuild(db, row.buildId)
  if (ended?.status === 'failed') throw new BuildError(ended.errorCategory ?? 'unknown', ended.error ?? 'It failed.')
}

async function verify(provider: SandboxProvider, image: string | undefined): Promise<void> {
  const health = await provider.check()
  if (health.status === 'missing' || health.status === 'down') {
    throw new BuildError('provider', health.detail ?? 'The provider does not answer.')
  }
  if (image !== undefined && !(await provider.hasImage?.(image))) {
    throw new BuildError('provider', 'The provider does not have the image that was built.')
  }
}

/** The project changes over, exactly if no newer request was made meanwhile. */
async function activate(
  parts: Parts,
  { transitionId, projectId, accountId, generation, targetProvider }: TransitionRow,
) {
  await move(parts, transitionId, { status: 'activating' })
  await parts.kernel.database.transact(systemActor, async (tx) => {
    const choice = await lockChoice(tx.db, projectId, accountId)
    if (choice.generation !== generation) throw new Superseded()
    const moved = await moveTransition(tx.db, transitionId, { status: 'activated', activatedAt: new Date() })
    if (!moved) throw new Superseded()
    await changeChoice(tx.db, projectId, { selectedProvider: targetProvider })
    const resource = { resourceType: 'project', resourceId: projectId }
    const metadata = { provider: targetProvider, transition_id: transitionId }
    await tx.audit({ action: 'sandbox.provider_activated', accountId, projectId, ...resource, metadata })
    await tx.publish(projectChanged.event({ project_id: projectId, account_id: accountId, change: 'updated' }))
  })
}

async function move(parts: Parts, transitionId: string, change: Parameters<typeof moveTransition>[2]): Promise<void> {
  if (!(await moveTransition(parts.kernel.database.db, transitionId, change))) throw new Superseded()
}

function requireProvider(parts: Parts, id: string): SandboxProvider {
  const found = parts.providers().find((provider) => provider.id === id)
  if (!found) throw new BuildError('provider', `The provider ${id} is not offered any more.`)
  return found
}

async function readPrimary(parts: Parts, projectId: string) {
  const definitions = await readDefinitions(parts, projectId)
  if (definitions.error !== null && definitions.commit === null) throw new BuildError('git', definitions.error)
  return { definition: requireDefinition(definitions, definitions.defaultSlug), commit: definitions.commit }
}
