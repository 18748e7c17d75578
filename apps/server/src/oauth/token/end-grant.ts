import type { Tx } from '../../kernel/database/index.ts'
import type { Parts } from '../parts.ts'
import { endGrant, forgetUser, type GrantRow, listLiveGrants, listLiveTokenIds, lockGrant } from '../store/grants.ts'

export type EndReason = 'revoked' | 'code_reused' | 'refresh_token_reused' | 'address_confirmed'

/** Ends a grant with all its tokens; within a second no node accepts one of them. Undefined when it had ended before. */
export async function endLiveGrant(
  parts: Parts,
  tx: Tx,
  grantId: string,
  reason: EndReason,
): Promise<GrantRow | undefined> {
  const grant = await lockGrant(tx.db, grantId)
  if (!grant) return undefined
  const now = parts.kernel.clock.now()
  await endGrant(tx.db, grantId, { revokedAt: now, revokeReason: reason })
  await parts.revocations.announce(tx, await listLiveTokenIds(tx.db, { grantId }, now))
  return grant
}

/** Ends everything a person ever allowed: grants, codes on their way, and consents that would be asked for no more. */
export async function endAccess(parts: Parts, tx: Tx, userId: string): Promise<void> {
  await forgetUser(tx.db, userId)
  for (const grantId of await listLiveGrants(tx.db, userId)) await endLiveGrant(parts, tx, grantId, 'address_confirmed')
}
