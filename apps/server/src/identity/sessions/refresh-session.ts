import { randomBytes } from 'node:crypto'
import type { Actor } from '../../kernel/actor.ts'
import type { Tx } from '../../kernel/database/index.ts'
import { problem } from '../../kernel/http/index.ts'
import { type SignedInAnswer, showSession, showUser } from '../answers.ts'
import type { Parts } from '../parts.ts'
import { findUser } from '../people/store.ts'
import { endSessions } from './end-sessions.ts'
import { addPair } from './open-session.ts'
import { deriveSuccessor, hasSessionTokenShape, reuseWindowMs, type TokenPair } from './session-tokens.ts'
import { findRefreshToken, lockRefreshToken, type RefreshRow, spendRefreshToken } from './store.ts'

/**
 * Rotates a refresh token. However many callers come with one token within ten seconds, all get one and the same new
 * session; a caller who comes later holds a copy that should not exist, and the whole session ends.
 */
export async function refreshSession(parts: Parts, token: string, actor: Actor): Promise<SignedInAnswer> {
  if (!hasSessionTokenShape(token)) throw problem('refresh_token_not_found')
  const { kernel } = parts
  // When the caller came, not when the database got to it: a queue must not make a repeat look late.
  const cameAtMs = kernel.clock.nowMs()
  const answered = await kernel.database.transact(actor, async (tx) => {
    const now = kernel.clock.now()
    const row = await lockRefreshToken(tx.db, kernel.tokenHasher.hashToken(token))
    if (!row || row.expiresAt <= now) return undefined
    const renewed = await renew(parts, tx, { token, row, cameAtMs })
    if (!renewed) return endReplayed(parts, tx, row)
    const user = await findUser(tx.db, row.userId)
    return user && { session: showSession(renewed.pair, renewed.accessExpiresAt, now), user: showUser(user) }
  })
  if (!answered) throw problem('refresh_token_not_found')
  return answered
}

interface Renewed {
  readonly pair: TokenPair
  readonly accessExpiresAt: Date
}

interface Presented {
  readonly token: string
  readonly row: RefreshRow
  readonly cameAtMs: number
}

/** Undefined for a token that was spent too long ago. */
async function renew(parts: Parts, tx: Tx, { token, row, cameAtMs }: Presented): Promise<Renewed | undefined> {
  const { kernel } = parts
  if (row.spentAt && row.successorNonce) {
    const sinceMs = cameAtMs - row.spentAt.getTime()
    return sinceMs > reuseWindowMs ? undefined : findNewest(parts, tx, token, row.successorNonce)
  }
  const nonce = randomBytes(16).toString('base64url')
  await spendRefreshToken(tx.db, row.tokenHash, nonce, kernel.clock.now())
  const pair = deriveSuccessor(kernel.tokenHasher, token, nonce)
  return { pair, accessExpiresAt: await addPair(parts, tx, row.sessionId, pair) }
}

/** The end of the chain, so that a late tab never gets a token that another tab has already spent in turn. */
async function findNewest({ kernel }: Parts, tx: Tx, spent: string, nonce: string): Promise<Renewed | undefined> {
  let pair = deriveSuccessor(kernel.tokenHasher, spent, nonce)
  for (;;) {
    const row = await findRefreshToken(tx.db, kernel.tokenHasher.hashToken(pair.refresh))
    if (!row) return undefined
    if (row.successorNonce === null) return { pair, accessExpiresAt: row.accessExpiresAt }
    pair = deriveSuccessor(kernel.tokenHasher, pair.refresh, row.successorNonce)
  }
}

async function endReplayed(parts: Parts, tx: Tx, row: RefreshRow & { userId: string }): Promise<undefined> {
  await endSessions(parts, tx, { userId: row.userId, only: row.sessionId }, 'refresh_token_reused')
  await tx.audit({
    action: 'auth.refresh.reused',
    actorUserId: row.userId,
    outcome: 'denied',
    resourceType: 'sign_in_session',
    resourceId: row.sessionId,
  })
  return undefined
}
