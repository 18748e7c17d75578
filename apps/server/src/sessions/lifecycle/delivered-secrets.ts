import type { ResolvedAgent } from '@svc/manifest'
import type { Parts } from '../parts.ts'
import type { SessionRow } from '../store/sessions.ts'
import { BootFailure } from './boot-failure.ts'

/** Names that belong to the platform, the runtime or the shell: a secret never takes their place. */
const refused =
  /^(SVC_.*|OPENCODE_.*|PORT|PATH|HOME|PWD|USER|LOGNAME|SHELL|HOSTNAME|TERM|TMPDIR|NODE_ENV|NODE_OPTIONS|LD_PRELOAD|LD_LIBRARY_PATH|SLACK_(BOT_TOKEN|SIGNING_SECRET)|TEAMS_APP_PASSWORD|TELEGRAM_BOT_TOKEN)$/i

export interface DeliveredSecrets {
  readonly env: Readonly<Record<string, string>>
  /** What the agent is told about every secret it may use, by any way. */
  readonly capabilities: readonly Readonly<Record<string, unknown>>[]
}

/** Identifiers a session may use: what its agent is granted, narrowed by the session's own list. */
export function grantedIdentifiers(agent: ResolvedAgent, allowlist: readonly string[] | null): 'all' | string[] {
  const granted = agent.secrets === 'none' ? [] : agent.secrets
  if (allowlist === null) return granted
  return granted === 'all' ? [...allowlist] : granted.filter((identifier) => allowlist.includes(identifier))
}

/**
 * Whose own values take the place of the project's. Only in a session that nobody else can open: whoever prompts an
 * agent has what the agent has.
 */
export function personalOwner({
  ownerType,
  ownerId,
  visibility,
  origin,
}: Pick<SessionRow, 'ownerType' | 'ownerId' | 'visibility' | 'origin'>): string | undefined {
  const isOpenToManagers = origin === 'trigger' || origin === 'schedule'
  if (ownerType !== 'user' || visibility !== 'private' || isOpenToManagers) return undefined
  return ownerId ?? undefined
}

/** Values enter a machine only by the `runtime` strategy; of all others the agent learns how to use them. */
export async function readDeliveredSecrets(
  parts: Parts,
  row: SessionRow,
  agent: ResolvedAgent,
): Promise<DeliveredSecrets> {
  const granted = grantedIdentifiers(agent, row.secretsAllowlist)
  const known = await parts.secrets.listDelivery(row.projectId)
  const usable = known.filter(({ identifier }) => granted === 'all' || granted.includes(identifier))
  const inside = usable.filter(({ strategy, name }) => strategy === 'runtime' && !refused.test(name))
  requireDistinctNames(inside)
  const env: Record<string, string> = {}
  const forUserId = personalOwner(row)
  const whose = forUserId === undefined ? {} : { forUserId }
  for (const { identifier, name } of inside) {
    const secret = await parts.secrets.readSecretValue({ projectId: row.projectId, identifier, ...whose })
    if (secret) env[name] = secret.value
  }
  return { env, capabilities: usable.flatMap(describeCapability) }
}

type Listed = Awaited<ReturnType<Parts['secrets']['listDelivery']>>[number]

function requireDistinctNames(secrets: readonly Listed[]): void {
  const byName = new Map<string, string>()
  for (const { identifier, name } of secrets) {
    const other = byName.get(name)
    if (other !== undefined) {
      throw new BootFailure(
        'invalid-secret-boundary-policy',
        `The agent is granted ${other} and ${identifier}, and both are delivered as ${name}.`,
      )
    }
    byName.set(name, identifier)
  }
}

const deliveries = { runtime: 'sandbox', egress: 'network', broker: 'https_broker', denied: undefined } as const

function describeCapability({ identifier, name, strategy, consumer, hosts }: Listed) {
  const delivery = strategy === 'broker' && consumer !== 'broker' ? 'svc_service' : deliveries[strategy]
  if (delivery === undefined || (strategy === 'runtime' && refused.test(name))) return []
  return [
    {
      identifier,
      delivery,
      ...(strategy === 'runtime' || strategy === 'egress' ? { environment_variable: name } : {}),
      ...(consumer ? { consumer } : {}),
      ...(hosts.length > 0 ? { hosts } : {}),
    },
  ]
}
