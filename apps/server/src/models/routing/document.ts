import type { operations } from '@svc/contract'
import { RoutingPolicy } from '@svc/contract'
import { type Call, Problem, problem } from '../../kernel/http/index.ts'
import type { ProviderHealth } from '../gateway/provider-health.ts'
import type { Parts } from '../parts.ts'
import { disabledBy, normalizeWireId, resolveModel, tryResolve } from '../resolve-model.ts'
import type { Snapshot } from '../snapshot.ts'
import { changeProjectModels, lockProjectModels } from '../store.ts'
import { chooseRoute, defaultModelOf, platformDefault, platformFallback } from './choose-route.ts'
import { clampGeneration } from './clamp-generation.ts'
import type { StoredRouting } from './policy.ts'

const noFallback = { models: [], fallbackOn: 'transient' as const }

export async function readDocument(parts: Parts, projectId: string, mayWrite: boolean) {
  const snapshot = await parts.snapshots.read(projectId)
  const { model, source } = defaultModelOf(snapshot)
  const fallback = platformFallback(snapshot)
  const platform = {
    defaultModel: platformDefault(snapshot),
    visionModel: snapshot.operator.vision_model ?? null,
    defaultFallback: fallback ? { ...fallback, models: [...fallback.models] } : noFallback,
  }
  return {
    version: 1 as const,
    project: { ...clampAll(snapshot, snapshot.routing), defaultModel: snapshot.projectDefault },
    effective: {
      defaultModel: model,
      defaultModelSource: source === 'agent' ? ('project' as const) : source,
      visionModel: snapshot.routing.visionModel ?? platform.visionModel,
      defaultFallback: snapshot.routing.defaultFallback ?? platform.defaultFallback,
    },
    platform,
    capabilities: { write: mayWrite },
  }
}

/** Writes the policy and, with it, the project's default model. */
export async function setDocument(parts: Parts, call: Call<typeof operations.models.setRouting>) {
  const { projectId } = call
  const parsed = RoutingPolicy.safeParse(call.body)
  if (!parsed.success) {
    const issues = parsed.error.issues.map(({ path, message }) => ({ path: path.join('.') || 'policy', message }))
    throw problem('invalid_routing_policy', {
      say: `${issues[0]?.path}: ${issues[0]?.message}`,
      extras: { issues },
    })
  }
  const snapshot = await parts.snapshots.read(projectId)
  const routing = clampAll(snapshot, parsed.data)
  await parts.kernel.database.transact(call.actor, async (tx) => {
    await lockProjectModels(tx.db, projectId)
    await changeProjectModels(tx.db, projectId, { routing, defaultModel: routing.defaultModel })
    await tx.audit({ action: 'gateway.routing_set', resourceType: 'project', resourceId: projectId })
  })
  parts.snapshots.forget(projectId)
  return readDocument(parts, projectId, true)
}

export async function resetDocument(parts: Parts, call: Call<typeof operations.models.resetRouting>) {
  const { projectId } = call
  await parts.kernel.database.transact(call.actor, async (tx) => {
    await lockProjectModels(tx.db, projectId)
    await changeProjectModels(tx.db, projectId, { routing: null, defaultModel: null })
    await tx.audit({ action: 'gateway.routing_reset', resourceType: 'project', resourceId: projectId })
  })
  parts.snapshots.forget(projectId)
  return readDocument(parts, projectId, true)
}

function clampAll(snapshot: Snapshot, routing: StoredRouting): StoredRouting {
  const configs = Object.entries(routing.modelGenerationConfig).map(([id, config]) => {
    const model = tryResolve(snapshot, id)
    return [id, model ? clampGeneration(config, model) : config]
  })
  return { ...routing, modelGenerationConfig: Object.fromEntries(configs) }
}

/** Which model would answer, why, and at what price; none is called. */
export async function previewRoute(parts: Parts, call: Call<typeof operations.models.previewRouting>) {
  const snapshot = await parts.snapshots.read(call.projectId)
  const route = chooseRoute(snapshot, call.body.requestedModel, call.body.imageInput === true)
  const ids = [route.primaryModel, ...route.fallbackModels]
  const models = ids.map((id) => describeCandidate(parts.health, snapshot, normalizeWireId(id)))
  // Without its first model a call is refused; one that is not well only lets others go first.
  const servable = models[0]?.available === true ? models.filter(({ available }) => available) : []
  const [answers] = parts.health.order(servable.map(({ model }) => resolveModel(snapshot, model)))
  return {
    version: 1 as const,
    route: { ...route, fallbackModels: [...route.fallbackModels] },
    answers: answers?.wireId ?? null,
    models,
  }
}

function describeCandidate(health: ProviderHealth, snapshot: Snapshot, model: string) {
  try {
    const found = resolveModel(snapshot, model)
    const off = disabledBy(snapshot, model)
    const cost = found.price ? { input: found.price.input, output: found.price.output } : null
    return { model, available: off === undefined, reason: off ?? null, health: health.stateOf(found), cost }
  } catch (error) {
    if (!Problem.isInstance(error)) throw error
    return { model, available: false, reason: error.code, health: 'ok' as const, cost: null }
  }
}
