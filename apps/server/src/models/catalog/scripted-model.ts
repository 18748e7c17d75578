import type { ServableModel } from '../resolve.ts'

export const scriptedId = 'scripted'

/** Built in: follows a script, costs nothing, needs no key and no network. */
export const scriptedModel: ServableModel = {
  wireId: scriptedId,
  name: 'Scripted model (no AI)',
  provider: 'svc',
  description: 'Follows a script in the prompt or a fixed plan. Built in: needs no key and no network.',
  contextTokens: 128_000,
  outputTokens: 16_000,
  headers: { model: scriptedId, provider: 'svc' },
  isSubscription: false,
  healthId: 'svc scripted',
  acceptsImages: false,
  callsTools: true,
  reasons: true,
  price: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, tiers: [], version: 'built-in' },
  upstream: {
    protocol: 'scripted',
    origin: '',
    basePath: '',
    model: scriptedId,
    credentials: [],
    isOperatorEndpoint: true,
    headers: {},
    hasResponses: false,
    isResponsesOnly: false,
  },
  billingMode: 'none',
  markup: 1,
  generation: {},
}
