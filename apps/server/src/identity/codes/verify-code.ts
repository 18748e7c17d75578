import type { Actor } from '../../kernel/actor.ts'
import { equalConstantTime } from '../../kernel/crypto/index.ts'
import type { Tx } from '../../kernel/database/index.ts'
import { problem } from '../../kernel/http/index.ts'
import { describeAddress } from '../describe-address.ts'
import type { Parts } from '../parts.ts'
import { addUser, changeUser, findUserByEmail, type User } from '../people/store.ts'
import { endSessions } from '../sessions/end-sessions.ts'
import { canSignUp } from '../sign-up.ts'
import { hashCode, hashLink, maxWrongTries } from './issue-code.ts'
import { type CodePurpose, type CodeRow, countWrongTry, lockCodeByLink, lockCodeOf, removeCode } from './store.ts'

export interface CodeProof {
  /** Not needed with a link's token, which names its address itself. */
  readonly email: string | undefined
  /** Six digits, or the token of a link. */
  readonly token: string
  readonly purpose: CodePurpose
}

/** Keeps the chance to guess a code for an address below 1 in 100,000 an hour, however many codes are asked for. */
const guesses = { name: 'auth.code.guesses', limit: 9, windowMs: 3_600_000 }

/**
 * Uses up a code or link and gives the person it proves. Five wrong tries burn it. Every refusal is the same, so that
 * nobody learns which addresses are known.
 */
export async function verifyCode<T>(
  parts: Parts,
  proof: CodeProof,
  actor: Actor,
  proceed: (tx: Tx, user: User, row: CodeRow) => Promise<T>,
): Promise<T> {
  const { kernel } = parts
  const limit = kernel.rateLimits.rateLimit(guesses)
  const isCode = /^\d{6}$/.test(proof.token)
  const isAllowed = isCode && proof.email !== undefined ? (await limit.take(proof.email)).allowed : true

  const proved = await kernel.database.transact(actor, async (tx) => {
    const row = await findProved(parts, tx, proof, isCode)
    const user = row && isAllowed ? await useCode(parts, tx, row) : undefined
    if (row && user) return { result: await proceed(tx, user, row) }
    await tx.audit({
      action: 'auth.login.fail',
      outcome: 'denied',
      errorCode: 'otp_expired',
      metadata: { method: proof.purpose, ...describeAddress(parts, proof.email) },
    })
    return undefined
  })
  if (!proved) throw problem('otp_expired')
  if (isCode && proof.email !== undefined) await limit.reset(proof.email)
  return proved.result
}

async function findProved(parts: Parts, tx: Tx, proof: CodeProof, isCode: boolean): Promise<CodeRow | undefined> {
  const { tokenHasher, clock } = parts.kernel
  const isOpen = (row: CodeRow) => row.expiresAt > clock.now() && row.wrongTries < maxWrongTries && !row.isDecoy
  if (!isCode) {
    const row = await lockCodeByLink(tx.db, hashLink(tokenHasher, proof.token))
    const isTheirs = row?.purpose === proof.purpose && (proof.email === undefined || row.email === proof.email)
    return row && isTheirs && isOpen(row) ? row : undefined
  }
  const row = proof.email === undefined ? undefined : await lockCodeOf(tx.db, proof.email, proof.purpose)
  const given = hashCode(tokenHasher, row?.codeId ?? '', proof.token)
  if (!row) return undefined
  if (equalConstantTime(row.codeHash, given)) return isOpen(row) ? row : undefined
  await countWrongTry(tx.db, row.codeId)
  return undefined
}

/** Single use: the row goes in the same transaction that lets the person in. */
async function useCode(parts: Parts, tx: Tx, row: CodeRow): Promise<User | undefined> {
  await removeCode(tx.db, row.codeId)
  const user = await findUserByEmail(tx.db, row.email)
  if (row.purpose === 'signup' && user) return undefined
  if (row.purpose === 'recovery') return user && takeOver(parts, tx, user)
  if (user) return takeOver(parts, tx, user)
  // Asked again: an invitation may have been withdrawn, or signing up closed, since the mail was sent.
  if (!(await canSignUp(parts, row.email))) return undefined
  return register(parts, tx, row)
}

async function register({ kernel }: Parts, tx: Tx, row: CodeRow): Promise<User | undefined> {
  const user = await addUser(tx.db, {
    email: row.email,
    emailConfirmedAt: kernel.clock.now(),
    passwordHash: row.passwordHash,
    userMetadata: row.userMetadata,
    createdAt: kernel.clock.now(),
  })
  if (user) await tx.audit({ action: 'auth.signup', outcome: 'success', resourceType: 'user', resourceId: user.userId })
  return user
}

/**
 * Whoever holds the mailbox owns the address. A password that was set before the address was ever confirmed may be
 * somebody else's, so it goes, and with it the sessions, tokens and apps that it opened the door to.
 */
export async function takeOver(parts: Parts, tx: Tx, user: User): Promise<User> {
  if (user.emailConfirmedAt) return user
  const now = parts.kernel.clock.now()
  const { userId } = user
  await endSessions(parts, tx, { userId }, 'address_confirmed')
  await parts.revokeTokens(tx, { userId })
  await parts.endAppAccess(tx, userId)
  return changeUser(tx.db, userId, { emailConfirmedAt: now, passwordHash: null }, now)
}
