import type { Actor } from '../../kernel/actor.ts'
import { checkToken } from '../../kernel/tokens/index.ts'
import type { Parts } from '../parts.ts'
import type { ClientRow } from '../store/clients.ts'
import { findPair, lockGrant } from '../store/grants.ts'
import { endLiveGrant } from './end-grant.ts'

/**
 * Ends the grant behind either token of a pair, also one that was rotated since: whoever signs out is signed out.
 * False for what is unknown, ended already, or another client's.
 */
export async function revokeToken(parts: Parts, client: ClientRow, token: string, actor: Actor): Promise<boolean> {
  if (!checkToken(token).ok) return false
  const { kernel } = parts
  return kernel.database.transact(actor, async (tx) => {
    const pair = await findPair(tx.db, kernel.tokenHasher.hashToken(token))
    const grant = pair && (await lockGrant(tx.db, pair.grantId))
    if (!grant || grant.clientId !== client.clientId) return false
    await endLiveGrant(parts, tx, grant.grantId, 'revoked')
    await tx.audit({
      action: 'auth.oauth.revoke',
      outcome: 'success',
      accountId: client.accountId,
      resourceType: 'oauth_client',
      resourceId: client.clientId,
      metadata: { client_name: client.name, user_id: grant.userId, grant_id: grant.grantId },
    })
    return true
  })
}
