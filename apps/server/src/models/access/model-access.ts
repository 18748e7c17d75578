import type { operations } from '@svc/contract'
import { type Call, invalid, problem } from '../../kernel/http/index.ts'
import { toModelInfo, toModelInfos } from '../catalog/model-info.ts'
import type { Parts } from '../parts.ts'
import { disabledBy, listModels, mentionedModels, normalizeWireId, providerOf } from '../resolve-model.ts'
import { platformDefault } from '../routing/choose-route.ts'
import type { Snapshot } from '../snapshot.ts'
import { changeProjectModels, lockProjectModels } from '../store.ts'

export async function readAccess(parts: Parts, projectId: string) {
  const snapshot = await parts.snapshots.read(projectId)
  return {
    disabledProviders: [...snapshot.disabledProviders],
    disabledModels: Object.keys(snapshot.modelOverrides).filter((id) => snapshot.modelOverrides[id] === false),
    defaultModel: currentDefault(snapshot),
    enforced: await parts.projects.isFeatureEnabled(projectId, 'llm_gateway'),
  }
}

/** Changes one target; what else the project decided stays. */
export async function setAccess(parts: Parts, call: Call<typeof operations.models.setModelAccess>) {
  const { projectId } = call
  const { target, id, enabled } = call.body
  requireTarget(target, id)
  const snapshot = await parts.snapshots.read(projectId)
  await parts.kernel.database.transact(call.actor, async (tx) => {
    const row = await lockProjectModels(tx.db, projectId)
    const defaultModel = normalizeWireId(row.defaultModel ?? snapshot.accountDefault ?? platformDefault(snapshot))
    const hitsDefault = target === 'model' ? normalizeWireId(id) === defaultModel : providerOf(defaultModel) === id
    if (!enabled && hitsDefault) throw problem('cannot_disable_default', { extras: { defaultModel } })
    const providers = row.disabledProviders.filter((provider) => provider !== id)
    const change =
      target === 'provider'
        ? { disabledProviders: enabled ? providers : [...providers, id].sort() }
        : { modelOverrides: { ...row.modelOverrides, [normalizeWireId(id)]: enabled } }
    await changeProjectModels(tx.db, projectId, change)
    await tx.audit({
      action: 'gateway.model_access_set',
      resourceType: 'project',
      resourceId: projectId,
      metadata: { target, id, enabled },
    })
  })
  parts.snapshots.forget(projectId)
  return readAccess(parts, projectId)
}

function requireTarget(target: 'provider' | 'model', id: string): void {
  if (target === 'provider' && !/^[a-zA-Z0-9][a-zA-Z0-9._-]*$/.test(id)) {
    throw invalid([{ path: 'id', message: 'must be the name of a provider' }])
  }
  if (target === 'model' && (id === 'auto' || /\s/.test(id))) {
    throw invalid([{ path: 'id', message: 'must name one model' }])
  }
}

function currentDefault(snapshot: Snapshot): string {
  return normalizeWireId(snapshot.projectDefault ?? snapshot.accountDefault ?? platformDefault(snapshot))
}

export async function readCatalog(parts: Parts, projectId: string) {
  await parts.projects.requireFeature(projectId, 'llm_gateway')
  return { models: toModelInfos(listModels(await parts.snapshots.read(projectId))) }
}

export async function readPicker(parts: Parts, projectId: string) {
  await parts.projects.requireFeature(projectId, 'llm_gateway')
  const snapshot = await parts.snapshots.read(projectId)
  const models = listModels(snapshot).map((model) => {
    const enabled = disabledBy(snapshot, model.wireId) === undefined
    return [model.wireId, { ...toModelInfo(model), enabled }] as const
  })
  return {
    models: Object.fromEntries(models),
    modelOverrides: { ...snapshot.modelOverrides },
    defaultModel: currentDefault(snapshot),
    usingDefaults: Object.keys(snapshot.modelOverrides).length === 0 && mentionedModels(snapshot).length === 0,
  }
}
