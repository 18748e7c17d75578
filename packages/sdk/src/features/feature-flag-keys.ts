/** The keys of all feature flags, in the order they are shown. */
export const FEATURE_FLAG_KEYS = [
  'marketplace',
  'connectors_api_discover',
  'email',
  'teams',
  'voice',
  'llm_gateway',
  'apps',
  'monitors',
  'warm_sessions',
  'secrets_egress',
] as const

/** The key of one feature flag. */
export type FeatureFlagKey = (typeof FEATURE_FLAG_KEYS)[number]
