import type { Actor } from '../kernel/actor.ts'
import type { Tx } from '../kernel/database/index.ts'
import { problem } from '../kernel/http/index.ts'
import type { Principal } from '../kernel/principal.ts'
import { type AuthUserAnswer, showUser } from './answers.ts'
import { issueCode } from './codes/issue-code.ts'
import { describeAddress } from './describe-address.ts'
import type { Parts } from './parts.ts'
import { requireStrongPassword } from './passwords/check-password.ts'
import { changeUser, findUserByEmail, lockUser, type User } from './people/store.ts'
import { endSessions } from './sessions/end-sessions.ts'
import { canSignUp, confirmsAddresses } from './sign-up.ts'

/**
 * Per address, whether or not it is known, and however many machines guess. Wide enough that one machine meets its own
 * limit of 30 a minute first: whoever mistypes is refused by that one, exactly.
 */
export const passwordGuesses = { name: 'auth.password.guesses', limit: 100, windowMs: 3_600_000 }

/**
 * A wrong password and an unknown address get the same answer after the same work. The password is compared outside of
 * the transaction, which takes long; one that was changed meanwhile lets nobody in.
 */
export async function signInWithPassword<T>(
  parts: Parts,
  { email, password }: { email: string; password: string },
  actor: Actor,
  proceed: (tx: Tx, user: User) => Promise<T>,
): Promise<T> {
  const { database, rateLimits } = parts.kernel
  const limit = rateLimits.rateLimit(passwordGuesses)
  const { allowed, retryAfterSeconds } = await limit.take(email)
  if (!allowed) throw problem('over_request_rate_limit', { headers: { 'retry-after': String(retryAfterSeconds) } })
  const found = await findUserByEmail(database.db, email)
  const matches = await parts.passwords.matchesPassword(password, found?.passwordHash)
  const mustBeConfirmed = confirmsAddresses(parts, await parts.settings.read())
  const outcome = await database.transact(actor, async (tx) => {
    const user = found && matches ? await lockUser(tx.db, found.userId) : undefined
    const isProven = user !== undefined && user.passwordHash === found?.passwordHash
    if (isProven && (user.emailConfirmedAt || !mustBeConfirmed)) return { result: await proceed(tx, user) }
    const refused = isProven ? 'email_not_confirmed' : 'invalid_credentials'
    await tx.audit({
      action: 'auth.login.fail',
      outcome: 'denied',
      errorCode: refused,
      metadata: { method: 'password', ...describeAddress(parts, email) },
    })
    return { refused } as const
  })
  if ('refused' in outcome) throw problem(outcome.refused)
  await limit.reset(email)
  return outcome.result
}

export interface MagicLinkInput {
  readonly email: string
  readonly redirectTo: string | undefined
  readonly createUser: boolean
  readonly userMetadata: Record<string, unknown>
}

/** The mail goes out only to those it can let in; everybody else costs and looks the same. */
export async function sendMagicLink(parts: Parts, input: MagicLinkInput, actor: Actor): Promise<void> {
  const { email, redirectTo, userMetadata } = input
  await parts.mail.limitByAddress(email)
  const mayJoin = (await canSignUp(parts, email)) && input.createUser
  await parts.kernel.database.transact(actor, async (tx) => {
    const user = await findUserByEmail(tx.db, email)
    const isDecoy = !user && !mayJoin
    await issueCode(parts, tx, { email, purpose: 'magiclink', redirectTo, isDecoy, userMetadata })
    await recordSent(parts, tx, 'magiclink', email)
  })
}

export async function resetPassword(
  parts: Parts,
  { email, redirectTo }: { email: string; redirectTo: string | undefined },
  actor: Actor,
): Promise<void> {
  await parts.mail.limitByAddress(email)
  await parts.kernel.database.transact(actor, async (tx) => {
    const user = await findUserByEmail(tx.db, email)
    await issueCode(parts, tx, { email, purpose: 'recovery', redirectTo, isDecoy: !user })
    await recordSent(parts, tx, 'recovery', email)
  })
}

/** Every other session ends: whoever knew the old password is out. */
export async function updatePassword(parts: Parts, principal: Principal, password: string): Promise<AuthUserAnswer> {
  requireStrongPassword(password, principal.email ?? '')
  const passwordHash = await parts.passwords.hashPassword(password)
  return parts.kernel.database.transact(principal.actor, async (tx) => {
    const user = await setPassword(parts, tx, principal.id, passwordHash, principal.credentialId)
    return showUser(user)
  })
}

export async function setPassword(
  parts: Parts,
  tx: Tx,
  userId: string,
  passwordHash: string,
  exceptSessionId: string | undefined,
): Promise<User> {
  const user = await changeUser(tx.db, userId, { passwordHash }, parts.kernel.clock.now())
  const except = exceptSessionId === undefined ? {} : { except: exceptSessionId }
  await endSessions(parts, tx, { userId, ...except }, 'password_changed')
  await tx.audit({ action: 'auth.password.update', outcome: 'success', resourceType: 'user', resourceId: userId })
  return user
}

function recordSent(parts: Parts, tx: Tx, purpose: string, email: string): Promise<string> {
  return tx.audit({
    action: 'auth.code.sent',
    outcome: 'success',
    metadata: { purpose, ...describeAddress(parts, email) },
  })
}
