import { problem } from '../kernel/http/index.ts'
import { describeModel } from './catalog/describe-model.ts'
import { listPricedModels } from './catalog/listed-prices.ts'
import { fillRates, type Price } from './catalog/price.ts'
import { scriptedId, scriptedModel } from './catalog/scripted-model.ts'
import { cleanText } from './ledger/call-entry.ts'
import { type ConfiguredProvider, providersOf } from './providers/provider-set.ts'
import type { ServableModel, Upstream } from './resolve.ts'
import { clampGeneration } from './routing/clamp-generation.ts'
import type { Snapshot } from './snapshot.ts'

export const managedProvider = 'svc'

/** The managed provider's prefix is optional on the wire. */
export function normalizeWireId(id: string): string {
  return id.startsWith(`${managedProvider}/`) ? id.slice(managedProvider.length + 1) : id
}

/** The provider that a wire id names. */
export function providerOf(wireId: string): string {
  const slash = wireId.indexOf('/')
  return slash < 0 ? managedProvider : wireId.slice(0, slash)
}

/** A model as a project can use it, or the refusal that says what is missing. Whether it is switched off is not asked. */
export function resolveModel(snapshot: Snapshot, id: string, at: Date = new Date()): ServableModel {
  const wireId = normalizeWireId(id)
  const known = snapshot.resolved.get(wireId)
  if (known) return known
  const found = find(snapshot, wireId, at)
  const generation = clampGeneration(snapshot.routing.modelGenerationConfig[wireId] ?? {}, found)
  const model = { ...found, generation }
  snapshot.resolved.set(wireId, model)
  return model
}

export function tryResolve(snapshot: Snapshot, id: string): ServableModel | undefined {
  try {
    return resolveModel(snapshot, id)
  } catch {
    // The refusal is for whoever asked for this very model; a list leaves it out.
    return undefined
  }
}

/** Why a project may not use a model although it could: it was switched off, itself or with its provider. */
export function disabledBy(snapshot: Snapshot, id: string): 'model_disabled' | 'provider_disabled' | undefined {
  const wireId = normalizeWireId(id)
  if (snapshot.modelOverrides[wireId] === false) return 'model_disabled'
  return snapshot.disabledProviders.includes(providerOf(wireId)) ? 'provider_disabled' : undefined
}

function find(snapshot: Snapshot, wireId: string, at: Date): ServableModel {
  if (wireId === scriptedId) return scriptedModel
  const managed = snapshot.operator.models[wireId]
  if (managed) return findManaged(snapshot, wireId, at)
  const slash = wireId.indexOf('/')
  if (slash <= 0) throw problem('model_not_found', { say: `There is no model “${wireId}”.` })
  return findConnected(snapshot, wireId.slice(0, slash), wireId.slice(slash + 1), at)
}

function findManaged({ operator, refreshed }: Snapshot, wireId: string, at: Date): ServableModel {
  const row = operator.models[wireId]
  const provider = row && providersOf(operator).get(row.provider)
  if (!row || !provider) {
    throw problem('model_unavailable', { say: `The model “${wireId}” names a provider that is not configured.` })
  }
  const model = row.model ?? wireId
  return {
    ...describeModel({ provider: managedProvider, priceId: provider.priceId, model }, row, refreshed, at),
    ...(row.name === undefined ? { name: wireId } : {}),
    wireId,
    headers: headersOf(wireId, managedProvider),
    upstream: upstreamOf(provider, model, provider.operatorKey === undefined ? [] : [provider.operatorKey]),
    billingMode: 'credits',
    isSubscription: provider.isSubscription,
    healthId: `${managedProvider} ${row.provider}`,
    markup: operator.markup,
    generation: {},
  }
}

function findConnected(snapshot: Snapshot, providerId: string, model: string, at: Date): ServableModel {
  const wireId = `${providerId}/${model}`
  const connection = snapshot.connections.get(providerId)
  const provider = providersOf(snapshot.operator).get(providerId)
  if (!connection) {
    if (!provider) throw problem('model_not_found', { say: `There is no model “${wireId}”.` })
    throw problem('provider_not_connected', {
      say: `The provider ${providerId} is not connected to this project.`,
      next: `Add the project secret ${provider.keyNames[0] ?? 'of its key'}.`,
    })
  }
  const facts = describeModel(
    { provider: providerId, priceId: provider?.priceId ?? providerId, model },
    snapshot.operator.catalog[wireId],
    snapshot.refreshed,
    at,
  )
  const upstream = provider
    ? upstreamOf(provider, model, connection.credentials)
    : { ...custom, ...readBaseUrl(connection.baseUrl ?? ''), model, credentials: connection.credentials }
  const isSubscription = provider?.isSubscription === true
  return {
    ...facts,
    ...(isSubscription ? { price: freeOfCharge } : {}),
    wireId,
    headers: headersOf(wireId, providerId),
    upstream,
    billingMode: 'none',
    isSubscription,
    healthId: `${snapshot.projectId} ${providerId}`,
    markup: 0,
    generation: {},
  }
}

function headersOf(model: string, provider: string): ServableModel['headers'] {
  const encode = (name: string) => encodeURI(cleanText(name))
  return { model: encode(model), provider: encode(provider) }
}

/** Paid elsewhere: tokens are counted, money is not. */
const freeOfCharge: Price = { ...fillRates({}), tiers: [], version: 'subscription' }

/** A base URL of a project's own is dialled like every address a user names: never into private networks. */
const custom = {
  protocol: 'openai',
  isOperatorEndpoint: false,
  headers: {},
  hasResponses: false,
  isResponsesOnly: false,
} as const

/** What a project wrote into a secret may be anything. */
function readBaseUrl(baseUrl: string): Pick<Upstream, 'origin' | 'basePath'> {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') {
    throw problem('model_unavailable', { say: 'The base URL of this provider is no http or https address.' })
  }
  return { origin: url.origin, basePath: url.pathname.replace(/\/+$/, '') }
}

function upstreamOf(provider: ConfiguredProvider, model: string, credentials: readonly string[]) {
  return {
    protocol: provider.protocol,
    ...readBaseUrl(provider.baseUrl),
    model,
    credentials,
    isOperatorEndpoint: provider.isOperators,
    headers: provider.headers,
    hasResponses: provider.hasResponses,
    isResponsesOnly: provider.isResponsesOnly,
  }
}

/** Every model a project could use now, managed ones first. Of a connected provider, those the price data and the fetched catalog name. */
export function listModels(snapshot: Snapshot): ServableModel[] {
  const { operator, connections, refreshed } = snapshot
  const ids = new Set([...Object.keys(operator.models), scriptedId])
  for (const providerId of connections.keys()) {
    const priceId = providersOf(operator).get(providerId)?.priceId ?? providerId
    for (const { id } of listPricedModels(priceId)) ids.add(`${providerId}/${id}`)
    for (const id of refreshed.list(priceId)) ids.add(`${providerId}/${id}`)
  }
  for (const wireId of Object.keys(operator.catalog)) {
    if (connections.has(providerOf(wireId))) ids.add(wireId)
  }
  for (const wireId of mentionedModels(snapshot)) ids.add(wireId)
  return [...ids].flatMap((id) => tryResolve(snapshot, id) ?? [])
}

/** Models that the project's own settings name or switch on: they are listed although no catalog knows them. */
export function mentionedModels(snapshot: Snapshot): string[] {
  const { routing, projectDefault, accountDefault, agentDefaults, modelOverrides } = snapshot
  const named = [
    projectDefault,
    accountDefault,
    routing.visionModel,
    ...(routing.defaultFallback?.models ?? []),
    ...routing.rules.flatMap(({ model, fallbackModels }) => [model, ...fallbackModels]),
    ...Object.values(agentDefaults),
    ...Object.keys(modelOverrides).filter((id) => modelOverrides[id] === true),
  ]
  return [...new Set(named.filter((id) => id !== null).map(normalizeWireId))]
}
