import {
  AUTHORIZATION_STRATEGIES,
  CHANNEL_CONNECTOR_SLUGS,
  CHANNEL_PLATFORMS,
  COMPUTER_PROVIDER,
  CONNECTOR_AUTH_TYPES,
  CONNECTOR_PROVIDERS,
  CONNECTOR_TRANSPORTS,
  HEADER_NAME_MAX_CHARS,
  HEADER_NAME_PATTERN,
  HEADER_VALUE_MAX_CHARS,
  HEADER_VALUE_PATTERN,
  HEADERS_MAX_ENTRIES,
  OAUTH1_PROVIDERS,
  POLICY_ACTIONS,
  RESERVED_HEADER_NAMES,
} from '../constants.ts'
import { own, ownMap, ownText, type PlainMap } from '../plain-data.ts'
import type { CheckContext } from '../shape/check-context.ts'
import { quote } from '../shape/describe-value.ts'
import { anything, filled, list, map, matching, oneOf, type Rule, record, text } from '../shape/shape.ts'
import { slug } from './values.ts'

const auth = record(
  { type: oneOf(CONNECTOR_AUTH_TYPES, { about: 'How calls are authenticated; "none" opts out.' }) },
  {
    name: 'connectorAuth',
    about: 'Authentication of the connector; detected from the source when left out.',
    required: ['type'],
    forbidden: { secret: 'a credential never belongs in git; store it with `svc connectors credential <slug>`' },
  },
)

const headers = map(matching(HEADER_VALUE_PATTERN, 'one line: no CR or LF', { maxChars: HEADER_VALUE_MAX_CHARS }), {
  name: 'connectorHeaders',
  about: 'Static headers, plain text in git: never a credential.',
  maxEntries: HEADERS_MAX_ENTRIES,
  keys: matching(HEADER_NAME_PATTERN, 'an HTTP header name (letters, digits, "-" and a few signs)', {
    maxChars: HEADER_NAME_MAX_CHARS,
  }),
  check: checkHeaders,
})

const policy = record(
  {
    match: filled({ about: 'Tool name, glob or /regex/.' }),
    action: oneOf(POLICY_ACTIONS, { about: 'What happens to a matching call.' }),
  },
  { name: 'connectorPolicy', required: ['match', 'action'] },
)

const fields = {
  slug: slug('Name of the connector.'),
  name: filled({ about: 'Name shown to people.' }),
  provider: oneOf(CONNECTOR_PROVIDERS, {
    about: 'Where the tools come from.',
    refuse: new Map([[COMPUTER_PROVIDER, '"computer" is created by pairing a machine and is never written by hand']]),
  }),
  app: text({ about: 'App of a managed OAuth provider.' }),
  url: text({ about: 'Address of an MCP server.' }),
  endpoint: text({ about: 'Address of a GraphQL endpoint.' }),
  base_url: text({ about: 'Base address of an HTTP API.' }),
  baseUrl: text({ about: 'Other name of `base_url`.' }),
  transport: oneOf(CONNECTOR_TRANSPORTS, { about: 'Transport of an MCP server.' }),
  spec: text({ about: 'OpenAPI document or collection.' }),
  platform: oneOf(CHANNEL_PLATFORMS, { about: 'Platform of a channel.' }),
  authorization_strategy: oneOf(AUTHORIZATION_STRATEGIES, {
    about: 'Whose connection is used; "project" when left out.',
  }),
  auth,
  headers,
  policies: list(policy, { about: 'First matching policy decides.' }),
}

const needs = (provider: string, of: readonly string[], says: string): Rule => ({
  rule: 'when',
  is: { provider: [provider] },
  rules: [{ rule: 'some', of, says }],
})

const rules: readonly Rule[] = [
  {
    rule: 'when',
    is: { slug: CHANNEL_CONNECTOR_SLUGS },
    rules: [
      {
        rule: 'expect',
        at: ['provider'],
        equals: 'channel',
        says: 'must be "channel": this slug is reserved for channels',
      },
    ],
  },
  {
    rule: 'when',
    is: { slug: [COMPUTER_PROVIDER] },
    rules: [
      {
        rule: 'expect',
        at: ['provider'],
        equals: COMPUTER_PROVIDER,
        says: 'the slug "computer" is reserved for a paired machine; choose another slug',
      },
    ],
  },
  needs('pipedream', ['app'], 'a pipedream connector needs `app`'),
  needs('mcp', ['url'], 'an mcp connector needs `url`'),
  needs('graphql', ['endpoint'], 'a graphql connector needs `endpoint`'),
  needs('http', ['base_url', 'baseUrl'], 'an http connector needs `base_url`'),
  needs('channel', ['platform'], `a channel connector needs \`platform\`: ${CHANNEL_PLATFORMS.join(', ')}`),
  {
    rule: 'when',
    is: { provider: ['channel'] },
    rules: [{ rule: 'expect', at: ['auth', 'type'], equals: 'none', says: 'must be "none" on a channel connector' }],
  },
]

const connectorV1 = record(
  { ...fields, credential: anything(), agent_scope: anything() },
  { name: 'connectorV1', required: ['slug', 'provider'], rules, check: checkConnectorV1 },
)

const connectorV2 = record(
  {
    ...fields,
    credential: oneOf(['shared'], {
      about: 'Only "shared"; use `authorization_strategy: user` for personal connections.',
    }),
  },
  {
    name: 'connectorV2',
    required: ['slug', 'provider'],
    forbidden: { agent_scope: '`agent_scope` is gone in version 2; grant the connector in `agents.<name>.connectors`' },
    rules,
    check: checkConnector,
  },
)

export const connectorsV1 = list(connectorV1, { unique: 'slug', about: 'Tools agents can use.' })
export const connectorsV2 = list(connectorV2, { unique: 'slug', about: 'Tools agents can use.' })

function checkConnectorV1(connector: PlainMap, context: CheckContext): void {
  const credential = own(connector, 'credential')
  if (credential !== undefined && credential !== 'shared') {
    context.warn('has no effect any more; only "shared" is used', ['credential'])
  }
  if (own(connector, 'agent_scope') !== undefined) {
    context.warn('has no effect any more; grant the connector on the agent', ['agent_scope'], { on: 'key' })
  }
  checkConnector(connector, context)
}

function checkConnector(connector: PlainMap, context: CheckContext): void {
  const provider = ownText(connector, 'provider') ?? ''
  const ignores = (key: string) => {
    if (own(connector, key) === undefined) return
    context.warn(`is ignored on a ${provider} connector; remove it`, [key], { on: 'key' })
  }
  if (provider === 'pipedream') ignores('auth')
  if (provider === 'pipedream' || provider === 'channel') ignores('headers')
  const authType = ownText(ownMap(connector, 'auth') ?? {}, 'type')
  const isKnown = CONNECTOR_PROVIDERS.some((known) => known === provider)
  if (authType === 'oauth1' && isKnown && !OAUTH1_PROVIDERS.some((able) => able === provider)) {
    context.warn(`"oauth1" works only on ${OAUTH1_PROVIDERS.join(', ')}; calls will fail`, ['auth', 'type'])
  }
  if ((provider === 'openapi' || provider === 'postman') && own(connector, 'spec') === undefined) {
    context.warn(`an ${provider} connector without \`spec\` has no tools; add \`spec\``, ['spec'])
  }
  const baseUrl = own(connector, 'base_url')
  const camel = own(connector, 'baseUrl')
  if (baseUrl !== undefined && camel !== undefined && baseUrl !== camel) {
    context.warn('differs from `base_url`, which wins; remove one of them', ['baseUrl'], { on: 'key' })
  }
}

function checkHeaders(headers: PlainMap, context: CheckContext): void {
  const seen = new Map<string, string>()
  for (const name of Object.keys(headers)) {
    const lower = name.toLowerCase()
    const value = headers[name]
    if (RESERVED_HEADER_NAMES.some((reserved) => reserved === lower)) {
      context.error(`${quote(name)} is owned by the transport; remove it`, [name], { on: 'key' })
    }
    const first = seen.get(lower)
    if (first === undefined) seen.set(lower, name)
    else context.error(`${quote(name)} is the same header as ${quote(first)}; keep one`, [name], { on: 'key' })
    if (typeof value === 'string' && hasControlCharacter(value)) {
      context.warn('has a control character in its value, so the header is dropped', [name])
    }
  }
}

/** CR and LF are refused by the shape; tab is allowed in a header value. */
export function hasControlCharacter(value: string): boolean {
  for (let index = 0; index < value.length; index += 1) {
    const code = value.charCodeAt(index)
    if (code === 127 || (code < 32 && code !== 9 && code !== 10 && code !== 13)) return true
  }
  return false
}
