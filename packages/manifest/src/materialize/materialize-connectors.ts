import {
  type AUTHORIZATION_STRATEGIES,
  CONNECTOR_PROVIDERS,
  POLICY_ACTIONS,
  RESERVED_HEADER_NAMES,
} from '../constants.ts'
import { isMap, own, ownList, ownMap, ownText, type PlainMap } from '../plain-data.ts'
import { connectorsV1, connectorsV2, hasControlCharacter } from '../sections/connectors.ts'
import { type Materialized, materializeEntries, namedItems } from './check-entries.ts'

export interface ResolvedPolicy {
  match: string
  action: (typeof POLICY_ACTIONS)[number]
}

/** A connector with every default applied. */
export interface ResolvedConnector {
  slug: string
  name: string
  provider: (typeof CONNECTOR_PROVIDERS)[number]
  app: string | null
  url: string | null
  endpoint: string | null
  baseUrl: string | null
  transport: string | null
  spec: string | null
  platform: string | null
  credential: 'shared'
  authorizationStrategy: (typeof AUTHORIZATION_STRATEGIES)[number]
  /** Null: detected from the source. `{type: 'none'}` opts out. */
  auth: PlainMap | null
  headers: Record<string, string>
  policies: ResolvedPolicy[]
}

export function materializeConnectors(manifest: PlainMap): Materialized<ResolvedConnector> {
  const shape = own(manifest, 'svc_version') === 2 ? connectorsV2.items : connectorsV1.items
  return materializeEntries(
    manifest,
    namedItems(own(manifest, 'connectors'), 'connectors', 'slug'),
    shape,
    resolveConnector,
  )
}

function resolveConnector(entry: PlainMap, slug: string): ResolvedConnector {
  const text = (key: string) => ownText(entry, key) ?? null
  const provider = CONNECTOR_PROVIDERS.find((known) => known === own(entry, 'provider')) ?? 'http'
  const hasHeaders = provider !== 'pipedream' && provider !== 'channel'
  return {
    slug,
    name: text('name') ?? slug,
    provider,
    app: text('app'),
    url: text('url'),
    endpoint: text('endpoint'),
    baseUrl: text('base_url') ?? text('baseUrl'),
    transport: text('transport'),
    spec: text('spec'),
    platform: text('platform'),
    credential: 'shared',
    authorizationStrategy: own(entry, 'authorization_strategy') === 'user' ? 'user' : 'project',
    auth: provider === 'pipedream' ? null : (ownMap(entry, 'auth') ?? null),
    headers: hasHeaders ? usableHeaders(ownMap(entry, 'headers') ?? {}) : {},
    policies: ownList(entry, 'policies').flatMap(resolvePolicy),
  }
}

function usableHeaders(headers: PlainMap): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter((pair): pair is [string, string] => {
      const [name, value] = pair
      const isReserved = RESERVED_HEADER_NAMES.some((reserved) => reserved === name.toLowerCase())
      return typeof value === 'string' && !isReserved && !hasControlCharacter(value)
    }),
  )
}

function resolvePolicy(policy: unknown): ResolvedPolicy[] {
  if (!isMap(policy)) return []
  const match = ownText(policy, 'match')
  const action = POLICY_ACTIONS.find((known) => known === own(policy, 'action'))
  return match === undefined || action === undefined ? [] : [{ match, action }]
}
