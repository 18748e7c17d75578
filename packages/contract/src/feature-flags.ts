/** Switches of a project. Server, client and dashboard read this one table; the order is the order they are shown in. */
interface FlagRow {
  readonly name: string
  readonly description: string
  readonly stability: 'experimental' | 'beta' | 'stable'
  readonly default: boolean
}

const table = {
  marketplace: {
    name: 'Marketplace',
    description: 'Install agents, skills and tools from the catalog into this project.',
    stability: 'beta',
    default: true,
  },
  connectors_api_discover: {
    name: 'Connector discovery',
    description: 'Look through the public catalog of APIs when adding a connector.',
    stability: 'experimental',
    default: false,
  },
  email: {
    name: 'Email channel',
    description: 'Talk to agents by email.',
    stability: 'experimental',
    default: false,
  },
  teams: {
    name: 'Teams channel',
    description: 'Talk to agents in Microsoft Teams.',
    stability: 'experimental',
    default: false,
  },
  voice: {
    name: 'Voice channel',
    description: 'Let an agent join calls.',
    stability: 'experimental',
    default: false,
  },
  llm_gateway: {
    name: 'Model gateway',
    description: 'Send model calls through the gateway, with budgets, routing and logs.',
    stability: 'experimental',
    default: true,
  },
  apps: {
    name: 'Apps',
    description: 'Build and run the apps that the manifest declares.',
    stability: 'stable',
    default: false,
  },
  monitors: {
    name: 'Monitors',
    description: 'Triggers that keep a command running and react to what it prints.',
    stability: 'beta',
    default: true,
  },
  warm_sessions: {
    name: 'Warm sessions',
    description: 'Keep a prepared sandbox ready, so that a new session answers sooner.',
    stability: 'beta',
    default: true,
  },
  secrets_egress: {
    name: 'Secrets at the edge',
    description: 'Substitute secrets outside the sandbox, towards exact hosts only.',
    stability: 'experimental',
    default: false,
  },
} as const satisfies Record<string, FlagRow>

export type FeatureFlag = keyof typeof table

export const featureFlags: Readonly<Record<FeatureFlag, FlagRow>> = table

export const featureFlagKeys: readonly FeatureFlag[] = Object.keys(table) as FeatureFlag[]

export function isFeatureFlag(key: string): key is FeatureFlag {
  return Object.hasOwn(featureFlags, key)
}
