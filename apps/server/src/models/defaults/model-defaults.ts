import type { operations } from '@svc/contract'
import { type Call, problem } from '../../kernel/http/index.ts'
import type { Parts } from '../parts.ts'
import { normalizeWireId } from '../resolve-model.ts'
import { defaultModelOf, isServable, platformDefault } from '../routing/choose-route.ts'
import { changeProjectModels, lockProjectModels, setAccountDefault } from '../store.ts'

export async function readDefaults(parts: Parts, call: Call<typeof operations.models.getDefaults>) {
  const snapshot = await parts.snapshots.read(call.projectId)
  const resolved = defaultModelOf(snapshot, call.principal.agentGrant?.agent)
  return {
    platformDefault: platformDefault(snapshot),
    accountDefault: snapshot.accountDefault,
    agentDefaults: { ...snapshot.agentDefaults },
    projectDefault: snapshot.projectDefault,
    resolvedForCaller: resolved.model,
    resolvedSource: resolved.source,
    freeTier: false,
  }
}

export async function setDefault(parts: Parts, call: Call<typeof operations.models.setDefault>) {
  const { scope, agentName } = call.body
  if (scope === 'account') await call.require('account.write', { accountId: call.accountId })
  if (scope === 'agent' && agentName === undefined) throw problem('agent_name_required')
  const model = normalizeWireId(call.body.model)
  const snapshot = await parts.snapshots.read(call.projectId)
  if (!isServable(snapshot, model)) {
    throw problem('model_not_servable', { say: `The model “${model}” cannot be served in this project.` })
  }
  await write(parts, call, { scope, agentName, model })
  return { ok: true as const, scope, ...(agentName === undefined ? {} : { agentName }), model }
}

export async function clearDefault(parts: Parts, call: Call<typeof operations.models.clearDefault>) {
  const { agentName } = call.query
  const scope = scopes.find((known) => known === call.query.scope)
  if (scope === undefined) {
    throw problem('invalid_scope', { say: 'There is no such scope.', next: 'Use account, agent or project.' })
  }
  if (scope === 'account') await call.require('account.write', { accountId: call.accountId })
  if (scope === 'agent' && agentName === undefined) throw problem('agent_name_required')
  await write(parts, call, { scope, agentName, model: null })
  return { ok: true as const, scope, ...(agentName === undefined ? {} : { agentName }) }
}

const scopes = ['account', 'agent', 'project'] as const

interface Change {
  readonly scope: (typeof scopes)[number]
  readonly agentName: string | undefined
  readonly model: string | null
}

async function write(
  parts: Parts,
  call: Pick<Call, 'actor' | 'projectId' | 'accountId'>,
  change: Change,
): Promise<void> {
  const { projectId, accountId, actor } = call
  const { scope, agentName, model } = change
  await parts.kernel.database.transact(actor, async (tx) => {
    if (scope === 'account') await setAccountDefault(tx.db, accountId, model)
    else {
      const row = await lockProjectModels(tx.db, projectId)
      const { [agentName ?? '']: _before, ...others } = row.agentDefaults
      const agentDefaults = model === null || agentName === undefined ? others : { ...others, [agentName]: model }
      await changeProjectModels(tx.db, projectId, scope === 'project' ? { defaultModel: model } : { agentDefaults })
    }
    await tx.audit({
      action: model === null ? 'gateway.model_default_cleared' : 'gateway.model_default_set',
      resourceType: 'project',
      resourceId: projectId,
      metadata: { scope, agent_name: agentName ?? null, model },
    })
  })
  parts.snapshots.forget(projectId)
}
