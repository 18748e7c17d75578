import type { ResolvedAgent } from '@svc/manifest'
import { systemActor } from '../../kernel/actor.ts'
import type { Parts } from '../parts.ts'
import type { SessionRow } from '../store/sessions.ts'
import { toGrant } from './session-scope.ts'

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
