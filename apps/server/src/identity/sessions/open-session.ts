import type { Tx } from '../../kernel/database/index.ts'
import { newId } from '../../kernel/ids/index.ts'
import { type SignedInAnswer, showSession, showUser } from '../answers.ts'
import type { Parts } from '../parts.ts'
import { changeUser, type User } from '../people/store.ts'
import { accessTtlMs, mintPair, mintSessionToken, pageTtlMs, refreshTtlMs, type TokenPair } from './session-tokens.ts'
import { addRefreshToken, addSession, addSignInToken } from './store.ts'

/** How somebody proved who they are; kept with the session and in the audit log. */
export type SignInMethod = 'password' | 'magiclink' | 'recovery' | 'signup' | 'first_run' | `social:${string}`

/** A new session with its first pair of tokens. */
export async function openSession(parts: Parts, tx: Tx, user: User, method: SignInMethod): Promise<SignedInAnswer> {
  const { sessionId, signedIn } = await beginSession(parts, tx, user, method)
  const pair = mintPair()
  const accessExpiresAt = await addPair(parts, tx, sessionId, pair)
  return { session: showSession(pair, accessExpiresAt, parts.kernel.clock.now()), user: showUser(signedIn) }
}

/** A session for server-rendered pages: one token, for a cookie. */
export async function openPageSession(parts: Parts, tx: Tx, user: User, method: SignInMethod): Promise<string> {
  const { sessionId } = await beginSession(parts, tx, user, method)
  const token = mintSessionToken()
  const tokenHash = parts.kernel.tokenHasher.hashToken(token)
  const expiresAt = new Date(parts.kernel.clock.nowMs() + pageTtlMs)
  await addSignInToken(tx.db, { tokenHash, sessionId, kind: 'page', expiresAt })
  return token
}

export async function addPair({ kernel }: Parts, tx: Tx, sessionId: string, pair: TokenPair): Promise<Date> {
  const { hashToken } = kernel.tokenHasher
  const accessExpiresAt = new Date(kernel.clock.nowMs() + accessTtlMs)
  const expiresAt = new Date(kernel.clock.nowMs() + refreshTtlMs)
  await addSignInToken(tx.db, {
    tokenHash: hashToken(pair.access),
    sessionId,
    kind: 'access',
    expiresAt: accessExpiresAt,
  })
  await addRefreshToken(tx.db, { tokenHash: hashToken(pair.refresh), sessionId, accessExpiresAt, expiresAt })
  return accessExpiresAt
}

async function beginSession({ kernel }: Parts, tx: Tx, user: User, method: SignInMethod) {
  const sessionId = newId()
  const now = kernel.clock.now()
  await addSession(tx.db, {
    sessionId,
    userId: user.userId,
    method,
    ip: tx.actor.ip ?? null,
    userAgent: tx.actor.userAgent ?? null,
    createdAt: now,
  })
  const signedIn = await changeUser(tx.db, user.userId, { lastSignInAt: now }, now)
  await tx.audit({
    action: 'auth.login.success',
    actorType: 'human',
    actorUserId: user.userId,
    source: 'human',
    outcome: 'success',
    resourceType: 'sign_in_session',
    resourceId: sessionId,
    metadata: { method },
  })
  return { sessionId, signedIn }
}
