import { knownProviders, type Provider } from './known-providers.ts'
import type { OperatorModels } from './models-file.ts'

export interface ConfiguredProvider extends Provider {
  readonly isOperators: boolean
  /** The operator's own key, for the models that the operator offers. */
  readonly operatorKey: string | undefined
  readonly headers: Readonly<Record<string, string>>
}

const sets = new WeakMap<OperatorModels, ReadonlyMap<string, ConfiguredProvider>>()

/** Providers by name: the well-known ones, with the operator's in front. */
export function providersOf(operator: OperatorModels): ReadonlyMap<string, ConfiguredProvider> {
  const known = sets.get(operator)
  if (known) return known
  const set = new Map<string, ConfiguredProvider>()
  for (const provider of knownProviders) {
    set.set(provider.id, { ...provider, isOperators: false, operatorKey: undefined, headers: {} })
  }
  for (const [id, row] of Object.entries(operator.providers)) {
    const before = set.get(id)
    set.set(id, {
      id,
      protocol: row.protocol,
      baseUrl: row.base_url.replace(/\/+$/, ''),
      keyNames: row.secret_names.length > 0 ? row.secret_names : (before?.keyNames ?? []),
      hasResponses: row.responses !== false,
      // Where the operator puts a known provider is a server of the usual kind unless the file says otherwise.
      isResponsesOnly: row.responses === 'only',
      isSubscription: row.subscription ?? before?.isSubscription ?? false,
      priceId: row.price_id ?? before?.priceId ?? id,
      isOperators: true,
      operatorKey: row.key_env === undefined ? undefined : process.env[row.key_env],
      headers: row.headers,
    })
  }
  sets.set(operator, set)
  return set
}
