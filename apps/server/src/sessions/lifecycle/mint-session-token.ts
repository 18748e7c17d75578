import type { ResolvedAgent } from '@svc/manifest'
import { systemActor } from '../../kernel/actor.ts'
import type { AgentGrant } from '../../kernel/principal.ts'
import type { Parts } from '../parts.ts'
import type { SessionRow } from '../store/sessions.ts'
import { grantedIdentifiers } from './delivered-secrets.ts'

/** A fresh `SVC_TOKEN` for every boot: whatever an earlier one was copied to has lost it. */
export async function mintSessionToken(parts: Parts, row: SessionRow, agent: ResolvedAgent): Promise<string> {
  return parts.kernel.database.transact(systemActor, async (tx) => {
    const { accountId, projectId, sessionId, ownerType, ownerId } = row
    await parts.tokens.revokeTokens(tx, { sessionId, kind: 'session' })
    await parts.access.ensureAgentIdentity(tx, { accountId, projectId, agentName: agent.name })
    const owner = ownerId ?? undefined
    const { secret } = await parts.tokens.mintToken(tx, {
      kind: 'session',
      accountId,
      projectId,
      sessionId,
      userId: ownerType === 'user' ? owner : undefined,
      serviceAccountId: ownerType === 'service_account' ? owner : undefined,
      isAutomation: ownerId === null,
      agentGrant: toGrant(agent, row.secretsAllowlist),
      name: `session ${sessionId}`,
    })
    return secret
  })
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
