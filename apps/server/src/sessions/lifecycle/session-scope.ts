import type { ResolvedAgent } from '@svc/manifest'
import type { AgentGrant } from '../../kernel/principal.ts'
import type { SessionRow } from '../store/sessions.ts'
import { type DeliveredSecrets, grantedIdentifiers, personalOwner } from './delivered-secrets.ts'
import { digest } from './digest.ts'
import type { SessionScope } from './running.ts'

type Scoped = Pick<SessionRow, 'secretsAllowlist' | 'ownerType' | 'ownerId' | 'visibility' | 'origin'>

export function scopeOf(row: Scoped, agent: ResolvedAgent, secrets: DeliveredSecrets): SessionScope {
  const grant = toGrant(agent, row.secretsAllowlist)
  return {
    agent: agent.name,
    grant,
    personalOf: personalOwner(row),
    values: new Map(Object.entries(secrets.env).map(([name, value]) => [name, digest(value)])),
    revision: digest(JSON.stringify([grant, secrets])),
  }
}

/**
 * Whether values must leave the processes that run, too: the next ones act for another agent or for other people, who
 * have no right to them. A value that only changed, or was taken back, leaves with the shells that hold it.
 */
export function mustForget(before: SessionScope, after: SessionScope): boolean {
  const isOfOthers = before.personalOf !== undefined && before.personalOf !== after.personalOf
  if (before.agent === after.agent && !isOfOthers) return false
  return [...before.values].some(([name, value]) => after.values.get(name) !== value)
}

export function toGrant(agent: ResolvedAgent, allowlist: readonly string[] | null): AgentGrant {
  const list = (granted: ResolvedAgent['svcCli']) => (granted === 'none' ? [] : granted)
  return {
    agent: agent.name,
    connectors: list(agent.connectors),
    svc_cli: list(agent.svcCli),
    env: grantedIdentifiers(agent, allowlist),
  }
}
