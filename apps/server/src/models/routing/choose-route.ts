import { isKnown } from '../catalog/known-models.ts'
import { scriptedId } from '../catalog/scripted-model.ts'
import type { Fallback, Route } from '../resolve.ts'
import { disabledBy, listModels, normalizeWireId, tryResolve } from '../resolve-model.ts'
import type { Snapshot } from '../snapshot.ts'

export type DefaultSource = 'agent' | 'project' | 'account' | 'platform'

export interface DefaultModel {
  readonly model: string
  readonly source: DefaultSource
}

/** Names that mean whichever model is the default. */
const defaultNames: readonly string[] = ['auto', 'default', '']

export function platformDefault({ operator }: Pick<Snapshot, 'operator'>): string {
  return normalizeWireId(operator.default_model ?? Object.keys(operator.models)[0] ?? scriptedId)
}

/** Agent, project, account, platform; one that cannot be served gives way to a connected provider's model. */
export function defaultModelOf(snapshot: Snapshot, agentName?: string): DefaultModel {
  const chain: readonly (readonly [string | null | undefined, DefaultSource])[] = [
    [agentName === undefined ? undefined : snapshot.agentDefaults[agentName], 'agent'],
    [snapshot.projectDefault, 'project'],
    [snapshot.accountDefault, 'account'],
  ]
  const chosen = chain.find(([model]) => model !== null && model !== undefined)
  const platform = { model: platformDefault(snapshot), source: 'platform' } as const
  if (!chosen?.[0]) return platform
  const [model, source] = chosen
  if (isServable(snapshot, model)) return { model: normalizeWireId(model), source }
  const connected = chooseConnected(snapshot)
  return connected ? { model: connected, source } : platform
}

/** Of the connected providers' models one that talks, takes tools and is well known. */
function chooseConnected(snapshot: Snapshot): string | undefined {
  const usable = listModels(snapshot).filter(
    ({ provider, wireId, callsTools }) => provider !== 'svc' && callsTools && isOn(snapshot, wireId),
  )
  const preferred = usable.find(({ provider, upstream }) => usualModels[provider]?.test(upstream.model))
  return (preferred ?? usable.find(({ upstream }) => isKnown(upstream.model)) ?? usable[0])?.wireId
}

/** What people of a provider usually mean. The price data names models that are long gone beside these. */
const usualModels: Readonly<Record<string, RegExp>> = {
  anthropic: /^claude-sonnet-4[.-][5-9]/,
  openai: /^gpt-5(\.\d)?$/,
  google: /^gemini-(2\.5|3[.\d]*)-pro/,
  openrouter: /^anthropic\/claude-sonnet-4/,
  groq: /gpt-oss-120b/,
  mistral: /^mistral-(large|medium)/,
  deepseek: /^deepseek-(chat|v)/,
  xai: /^grok-4/,
}

/**
 * Which models answer a request, in order. The primary is the one asked for; an image for a default model that takes
 * none goes to the vision model. Then an exact rule, the project's chain for its default, the platform's, or none.
 */
export function chooseRoute(snapshot: Snapshot, requested: string, hasImages: boolean, agentName?: string): Route {
  const fallbackDefault = defaultModelOf(snapshot, agentName).model
  const asked = defaultNames.includes(requested) ? fallbackDefault : normalizeWireId(requested)
  const isDefault = asked === fallbackDefault
  const primaryModel = isDefault && hasImages ? visionModelFor(snapshot, asked) : asked
  const { policyId, chain } = findChain(snapshot, primaryModel, isDefault)
  const fallbackModels = [...new Set(chain.models.map(normalizeWireId))].filter((model) => model !== primaryModel)
  return { policyId, primaryModel, fallbackModels, fallbackOn: chain.fallbackOn }
}

function visionModelFor(snapshot: Snapshot, model: string): string {
  if (tryResolve(snapshot, model)?.acceptsImages !== false) return model
  const vision = snapshot.routing.visionModel ?? snapshot.operator.vision_model
  return vision === undefined || vision === null ? model : normalizeWireId(vision)
}

function findChain({ routing, operator }: Snapshot, model: string, isDefault: boolean) {
  const rule = routing.rules.find((row) => normalizeWireId(row.model) === model)
  if (rule) {
    return { policyId: `project:exact:${model}`, chain: { models: rule.fallbackModels, fallbackOn: rule.fallbackOn } }
  }
  if (isDefault && routing.defaultFallback) return { policyId: 'project:default', chain: routing.defaultFallback }
  const platform = platformFallback({ operator })
  if (isDefault && platform) return { policyId: 'platform:default', chain: platform }
  return { policyId: 'direct', chain: { models: [], fallbackOn: 'transient' } as const }
}

export function platformFallback({ operator }: Pick<Snapshot, 'operator'>): Fallback | undefined {
  return operator.fallback && { models: operator.fallback.models, fallbackOn: operator.fallback.on }
}

export function isServable(snapshot: Snapshot, model: string): boolean {
  return tryResolve(snapshot, model) !== undefined && isOn(snapshot, model)
}

function isOn(snapshot: Snapshot, model: string): boolean {
  return disabledBy(snapshot, model) === undefined
}
