import type { Price } from './catalog/price.ts'
import type { CatalogFacts } from './catalog/refresh/records.ts'

/** What the parts of the gateway tell each other. */

/** How an upstream speaks. `scripted` runs in this process. */
export type Protocol = 'openai' | 'anthropic' | 'google' | 'scripted'

export interface Upstream {
  readonly protocol: Protocol
  /** Scheme, host and port of its base URL. */
  readonly origin: string
  /** The path of its base URL, without a slash at the end. */
  readonly basePath: string
  /** The model as the upstream calls it. */
  readonly model: string
  /** Keys, in the order in which they are tried. Empty for an upstream that takes none. */
  readonly credentials: readonly string[]
  /** Configured by the operator: may lie on a private address. */
  readonly isOperatorEndpoint: boolean
  readonly headers: Readonly<Record<string, string>>
  /** Speaks the responses protocol besides chat completions. */
  readonly hasResponses: boolean
  /** Speaks nothing but the responses protocol. */
  readonly isResponsesOnly: boolean
}

export interface GenerationConfig {
  readonly reasoningEffort?: string | undefined
  readonly temperature?: number | undefined
  readonly topP?: number | undefined
  readonly maxOutputTokens?: number | undefined
}

export type BillingMode = 'credits' | 'platform-fee' | 'none'

export interface ModelFacts {
  readonly name: string
  readonly provider: string
  readonly description?: string | undefined
  readonly contextTokens: number
  readonly outputTokens: number
  readonly acceptsImages: boolean
  readonly callsTools: boolean
  readonly reasons: boolean
  readonly price: Price | undefined
  /** What else the fetched catalog tells of it. */
  readonly catalog?: CatalogFacts
}

export interface ServableModel extends ModelFacts {
  /** The name on our wire: bare for managed models, `<provider>/<model>` for others. */
  readonly wireId: string
  /** The same and its provider's, as headers carry them. */
  readonly headers: { readonly model: string; readonly provider: string }
  readonly upstream: Upstream
  readonly billingMode: BillingMode
  /** Paid by a subscription of whoever owns the key: a call costs nothing. */
  readonly isSubscription: boolean
  /** Whose failures count together: those of one key holder at one provider. */
  readonly healthId: string
  /** What a micro-dollar of the provider costs with us. */
  readonly markup: number
  readonly generation: GenerationConfig
}

export interface Fallback {
  readonly models: readonly string[]
  readonly fallbackOn: 'transient' | 'any-error'
}

export interface Route {
  readonly policyId: string
  readonly primaryModel: string
  readonly fallbackModels: readonly string[]
  readonly fallbackOn: 'transient' | 'any-error'
}

export type BudgetScope = 'project' | 'member' | 'agent' | 'session' | 'key'

export interface Budget {
  readonly budgetId: string
  readonly scope: BudgetScope
  readonly subject: string
  readonly limitMicros: number
  readonly period: 'day' | 'week' | 'month'
  readonly action: 'block' | 'warn'
}
