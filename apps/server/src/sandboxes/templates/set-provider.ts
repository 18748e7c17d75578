import type { operations } from '@svc/contract'
import type { Tx } from '../../kernel/database/index.ts'
import { type Call, problem } from '../../kernel/http/index.ts'
import { newId } from '../../kernel/ids/index.ts'
import type { JobDefinition } from '../../kernel/jobs/index.ts'
import { projectChanged } from '../../projects/index.ts'
import type { Parts } from './parts.ts'
import { toPreparation, toTransition } from './records.ts'
import { laneOf } from './request-build.ts'
import { addTransition, changeChoice, listTransitions, lockChoice, supersedeTransitions } from './store/choices.ts'
import { readChoice } from './survey.ts'

export type TransitionJob = JobDefinition<{ transition_id: string }>

const historyShown = 25

/** The default and the provider in use apply at once; another one is prepared first, while the old one serves. */
export async function setProvider(
  parts: Parts,
  job: TransitionJob,
  call: Call<typeof operations.sandboxes.setProvider>,
) {
  const { projectId, accountId, actor, principal, body } = call
  const offered = parts.providers().map(({ id }) => id)
  const wanted = body.provider
  if (wanted !== null && !offered.includes(wanted)) {
    throw problem('unknown_sandbox_provider', { extras: { available: offered } })
  }
  const { activeId } = await readChoice(parts, projectId)
  const isImmediate = wanted === null || wanted === offered[0] || wanted === activeId
  const started = await parts.kernel.database.transact(actor, async (tx) => {
    const choice = await lockChoice(tx.db, projectId, accountId)
    const generation = choice.generation + 1
    await supersedeTransitions(tx.db, projectId, generation)
    await changeChoice(tx.db, projectId, { generation, ...(isImmediate ? { selectedProvider: wanted } : {}) })
    await auditChoice(tx, { projectId, accountId }, wanted, isImmediate)
    if (isImmediate || wanted === null) return undefined
    const row = await addTransition(tx.db, {
      transitionId: newId(),
      accountId,
      projectId,
      generation,
      status: 'pending',
      sourceProvider: activeId,
      targetProvider: wanted,
      label: `${activeId} to ${wanted}`,
      requestedBy: principal.id,
    })
    await tx.enqueue(job, { transition_id: row.transitionId }, { queue: laneOf(projectId) })
    return row
  })
  if (started) return toPreparation(started, activeId)
  return { kind: 'project' as const, ...(await parts.describeProject(projectId, principal)) }
}

async function auditChoice(
  tx: Tx,
  place: { projectId: string; accountId: string },
  provider: string | null,
  immediate: boolean,
): Promise<void> {
  const { projectId, accountId } = place
  const resource = { resourceType: 'project', resourceId: projectId }
  await tx.audit({ action: 'sandbox.set_provider', ...place, ...resource, metadata: { provider, immediate } })
  if (immediate) {
    await tx.publish(projectChanged.event({ project_id: projectId, account_id: accountId, change: 'updated' }))
  }
}

export async function readTransition(parts: Parts, projectId: string) {
  const { activeId } = await readChoice(parts, projectId)
  const rows = await listTransitions(parts.kernel.database.db, projectId, historyShown)
  const history = rows.map((row) => toTransition(row, activeId))
  return { active_provider: activeId, latest: history[0] ?? null, history }
}
