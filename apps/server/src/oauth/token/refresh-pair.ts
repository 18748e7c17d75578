import { randomBytes } from 'node:crypto'
import type { Actor } from '../../kernel/actor.ts'
import type { Tx } from '../../kernel/database/index.ts'
import { checkToken } from '../../kernel/tokens/index.ts'
import type { Parts } from '../parts.ts'
import type { ClientRow } from '../store/clients.ts'
import { findPairByRefresh, type GrantRow, lockGrant, type PairRow, spendPair } from '../store/grants.ts'
import { endLiveGrant } from './end-grant.ts'
import { derivePair, type Pair, storePair } from './pair.ts'
import { type Issued, refuseGrant } from './token-answer.ts'

/** A refresh repeated within this time gets what the first one got: two tabs that refresh at once stay signed in. */
const reuseWindowMs = 30_000

/**
 * Rotates a pair. However many callers come with one refresh token within 30 seconds, all get one and the same new
 * pair; who comes later holds a copy that should not exist, and the whole grant ends.
 */
export async function refreshPair(parts: Parts, client: ClientRow, token: string, actor: Actor): Promise<Issued> {
  const check = checkToken(token)
  if (!check.ok || check.prefix !== 'svc_ort_') throw refuseGrant()
  const { kernel } = parts
  const refreshHash = kernel.tokenHasher.hashToken(token)
  // Refused after the commit: the end of a grant has to stay.
  const issued = await kernel.database.transact(actor, async (tx) => {
    const known = await findPairByRefresh(tx.db, refreshHash)
    const grant = known && (await lockGrant(tx.db, known.grantId))
    if (!grant || grant.clientId !== client.clientId) return undefined
    // Read again: whoever held the lock may have spent it.
    const row = await findPairByRefresh(tx.db, refreshHash)
    if (!row || row.refreshExpiresAt <= kernel.clock.now()) return undefined
    const scopes = grant.scopes.filter((scope) => client.scopes.includes(scope))
    if (scopes.length === 0) return undefined
    const renewed = await renew(parts, tx, token, row)
    return renewed ? { ...renewed, scopes } : endReplayed(parts, tx, client, grant)
  })
  if (!issued) throw refuseGrant()
  return issued
}

interface Renewed {
  readonly pair: Pair
  readonly accessExpiresAt: Date
}

/** Undefined for a token that was spent too long ago. */
async function renew(parts: Parts, tx: Tx, token: string, row: PairRow): Promise<Renewed | undefined> {
  const { clock, tokenHasher } = parts.kernel
  if (row.spentAt && row.successorNonce !== null) {
    const sinceMs = clock.nowMs() - row.spentAt.getTime()
    return sinceMs > reuseWindowMs
      ? undefined
      : findNewest(parts, tx, derivePair(tokenHasher, token, row.successorNonce))
  }
  const successorNonce = randomBytes(16).toString('base64url')
  // Requests on their way with the old access token still arrive; then the pair is gone.
  const endsAtMs = Math.min(row.accessExpiresAt.getTime(), clock.nowMs() + reuseWindowMs)
  await spendPair(tx.db, row.tokenId, { spentAt: clock.now(), successorNonce, accessExpiresAt: new Date(endsAtMs) })
  const pair = derivePair(tokenHasher, token, successorNonce)
  return { pair, accessExpiresAt: await storePair(parts, tx, row.grantId, pair) }
}

/** The end of the chain, so that a late tab never gets a token that another tab has already spent in turn. */
async function findNewest({ kernel: { tokenHasher } }: Parts, tx: Tx, successor: Pair): Promise<Renewed | undefined> {
  for (let pair = successor; ; ) {
    const row = await findPairByRefresh(tx.db, tokenHasher.hashToken(pair.refresh))
    if (!row) return undefined
    if (row.successorNonce === null) return { pair, accessExpiresAt: row.accessExpiresAt }
    pair = derivePair(tokenHasher, pair.refresh, row.successorNonce)
  }
}

async function endReplayed(parts: Parts, tx: Tx, client: ClientRow, grant: GrantRow): Promise<undefined> {
  await endLiveGrant(parts, tx, grant.grantId, 'refresh_token_reused')
  await tx.audit({
    action: 'auth.oauth.refresh.reused',
    outcome: 'denied',
    accountId: client.accountId,
    resourceType: 'oauth_client',
    resourceId: client.clientId,
    metadata: { user_id: grant.userId, grant_id: grant.grantId },
  })
  return undefined
}
