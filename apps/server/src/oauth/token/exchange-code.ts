import { createHash } from 'node:crypto'
import type { Actor } from '../../kernel/actor.ts'
import { equalConstantTime } from '../../kernel/crypto/index.ts'
import type { Tx } from '../../kernel/database/index.ts'
import { newId } from '../../kernel/ids/index.ts'
import type { Parts } from '../parts.ts'
import type { ClientRow } from '../store/clients.ts'
import { addGrant, type CodeRow, lockCode, spendCode } from '../store/grants.ts'
import { endLiveGrant } from './end-grant.ts'
import { mintPair, storePair } from './pair.ts'
import { type Issued, refuseGrant } from './token-answer.ts'

export interface CodeInput {
  readonly code: string
  readonly redirectUri: string
  readonly codeVerifier: string
}

/**
 * A code works once, for whoever began the sign-in. The first who comes with it spends it, right verifier or not; a
 * second use means that it leaked, so what it produced ends.
 */
export async function exchangeCode(parts: Parts, client: ClientRow, input: CodeInput, actor: Actor): Promise<Issued> {
  if (!/^[A-Za-z0-9_-]{43}$/.test(input.code)) throw refuseGrant()
  const { kernel } = parts
  // Refused after the commit: what a refused attempt changes has to stay.
  const issued = await kernel.database.transact(actor, async (tx) => {
    const row = await lockCode(tx.db, kernel.tokenHasher.hashToken(input.code))
    if (!row) return undefined
    if (row.spentAt) return endReused(parts, tx, row)
    if (!fits(row, client, input, kernel.clock.now())) {
      await spendCode(tx.db, row.codeHash, { spentAt: kernel.clock.now(), grantId: null })
      return undefined
    }
    return openGrant(parts, tx, client, row)
  })
  if (!issued) throw refuseGrant()
  return issued
}

function fits(row: CodeRow, client: ClientRow, input: CodeInput, now: Date): boolean {
  return (
    row.expiresAt > now &&
    row.clientId === client.clientId &&
    row.redirectUri === input.redirectUri &&
    /^[A-Za-z0-9._~-]{43,128}$/.test(input.codeVerifier) &&
    equalConstantTime(createHash('sha256').update(input.codeVerifier).digest('base64url'), row.codeChallenge)
  )
}

async function openGrant(parts: Parts, tx: Tx, client: ClientRow, code: CodeRow): Promise<Issued> {
  const now = parts.kernel.clock.now()
  const { clientId, accountId, name } = client
  const { userId, scopes } = code
  const grant = await addGrant(tx.db, { grantId: newId(), clientId, userId, scopes, createdAt: now })
  await spendCode(tx.db, code.codeHash, { spentAt: now, grantId: grant.grantId })
  const pair = mintPair()
  const accessExpiresAt = await storePair(parts, tx, grant.grantId, pair)
  await tx.audit({
    action: 'auth.oauth.token',
    outcome: 'success',
    accountId,
    resourceType: 'oauth_client',
    resourceId: clientId,
    metadata: { client_name: name, user_id: userId, scopes, grant_id: grant.grantId },
  })
  return { pair, accessExpiresAt, scopes }
}

async function endReused(parts: Parts, tx: Tx, code: CodeRow): Promise<undefined> {
  const ended = code.grantId === null ? undefined : await endLiveGrant(parts, tx, code.grantId, 'code_reused')
  await tx.audit({
    action: 'auth.oauth.code.reused',
    outcome: 'denied',
    resourceType: 'oauth_client',
    resourceId: code.clientId,
    metadata: { user_id: code.userId, grant_id: code.grantId, ended: ended !== undefined },
  })
  return undefined
}
