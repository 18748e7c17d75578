import { createHash, randomBytes } from 'node:crypto'
import type { Actor } from '../../kernel/actor.ts'
import { equalConstantTime } from '../../kernel/crypto/index.ts'
import type { Tx } from '../../kernel/database/index.ts'
import { problem } from '../../kernel/http/index.ts'
import { takeOver } from '../codes/verify-code.ts'
import type { Parts } from '../parts.ts'
import { addUser, findUser, findUserByEmail, type User } from '../people/store.ts'
import type { SignInMethod } from '../sessions/open-session.ts'
import { mintSessionToken } from '../sessions/session-tokens.ts'
import { canSignUp } from '../sign-up.ts'
import { type Profile, ProviderUnreachable, type SignInAttempt, type SocialProvider } from './provider.ts'
import {
  addSocialSignIn,
  answerSignIn,
  dropSignIn,
  findOpenSignIn,
  findUserByIdentity,
  putIdentity,
  type SocialSignIn,
  takeByCode,
} from './store.ts'

const attemptTtlMs = 10 * 60_000
const codeTtlMs = 5 * 60_000

export interface SocialRequest {
  readonly provider: SocialProvider
  /** Already on the allow-list. */
  readonly redirectTo: string
  readonly scopes: string | undefined
}

export function requireProvider(providers: ReadonlyMap<string, SocialProvider>, name: string): SocialProvider {
  const provider = providers.get(name)
  if (provider) return provider
  throw problem('invalid_request', {
    say: `Sign-in with ${name} is not set up on this instance.`,
    next: 'Sign in another way, or ask the operator to configure it.',
  })
}

/** The verifier for the app stays with the app; what goes to the provider is derived from the state and not stored. */
export async function startSocialSignIn(parts: Parts, { provider, redirectTo, scopes }: SocialRequest, actor: Actor) {
  const { kernel } = parts
  const codeVerifier = randomBytes(48).toString('base64url')
  const state = mintSessionToken()
  const url = await provider.authorizationUrl(describeAttempt(parts, provider.name, state), scopes).catch((cause) => {
    throw problem('auth_provider_unreachable', { cause, privately: `provider ${provider.name}: ${String(cause)}` })
  })
  await kernel.database.transact(actor, (tx) =>
    addSocialSignIn(tx.db, {
      stateHash: hashState(parts, state),
      provider: provider.name,
      redirectTo,
      codeChallenge: challengeOf(codeVerifier),
      expiresAt: new Date(kernel.clock.nowMs() + attemptTtlMs),
    }),
  )
  return { url, code_verifier: codeVerifier }
}

/** Where the browser goes next: back to the app with a code, or with the reason why not. */
export async function finishSocialSignIn(
  parts: Parts,
  provider: SocialProvider | undefined,
  returnedTo: URL,
  actor: Actor,
): Promise<string> {
  const { kernel } = parts
  const state = returnedTo.searchParams.get('state') ?? ''
  const stateHash = hashState(parts, state)
  const attempt = await findOpenSignIn(kernel.database.db, stateHash)
  if (!provider || !attempt || attempt.provider !== provider.name || attempt.expiresAt <= kernel.clock.now()) {
    throw problem('invalid_request', {
      say: 'This sign-in is unknown, expired or already finished.',
      next: 'Begin it again.',
    })
  }
  const back = (parameters: Record<string, string>) => addParameters(attempt.redirectTo, parameters)
  const fail = async (error: string, description: string) => {
    await kernel.database.transact(actor, async (tx) => {
      await dropSignIn(tx.db, stateHash)
      await tx.audit({
        action: 'auth.login.fail',
        outcome: 'denied',
        errorCode: error,
        metadata: { method: `social:${provider.name}` },
      })
    })
    return back({ error, error_description: description })
  }

  if (returnedTo.searchParams.has('error')) return fail('access_denied', 'The provider did not let you in.')
  const profile = await readProfile(parts, provider, returnedTo, describeAttempt(parts, provider.name, state))
  if ('error' in profile) return fail(profile.error, profile.description)
  const code = mintSessionToken()
  const joined = await kernel.database.transact(actor, async (tx) => {
    const user = await findPerson(parts, tx, provider.name, profile)
    if (typeof user === 'string') return user
    const expiresAt = new Date(kernel.clock.nowMs() + codeTtlMs)
    const answer = { codeHash: hashCode(parts, code), userId: user.userId, expiresAt }
    return (await answerSignIn(tx.db, stateHash, answer)) ? undefined : 'invalid_request'
  })
  if (joined !== undefined) return fail(joined, refusals[joined])
  return back({ code })
}

/** The code works once, also when the verifier is wrong. */
export async function exchangeSocialCode<T>(
  parts: Parts,
  { code, code_verifier: verifier }: { code: string; code_verifier: string },
  actor: Actor,
  proceed: (tx: Tx, user: User, method: SignInMethod) => Promise<T>,
): Promise<T> {
  const signedIn = await parts.kernel.database.transact(actor, async (tx) => {
    const row = await takeByCode(tx.db, hashCode(parts, code))
    if (!row || !isFitting(row, verifier, parts.kernel.clock.now())) return undefined
    const user = await findUser(tx.db, row.userId ?? '')
    return user && { result: await proceed(tx, user, `social:${row.provider}`) }
  })
  if (!signedIn) throw problem('bad_code_verifier')
  return signedIn.result
}

const refusals = {
  signup_disabled: 'This instance does not accept sign-ups for this address.',
  email_not_verified: 'The provider has not verified your address.',
  invalid_request: 'This sign-in was already finished.',
} as const

/** Identities link through an address that the provider has verified, and through nothing else. */
async function findPerson(
  parts: Parts,
  tx: Tx,
  provider: string,
  { subject, verifiedEmail, name }: Profile,
): Promise<User | keyof typeof refusals> {
  const now = parts.kernel.clock.now()
  const link = (userId: string) =>
    putIdentity(tx.db, { provider, subject, userId, email: verifiedEmail ?? null, lastSignInAt: now })
  const known = await findUserByIdentity(tx.db, provider, subject)
  if (known) {
    await link(known.userId)
    return known
  }
  if (verifiedEmail === undefined) return 'email_not_verified'
  const sameAddress = await findUserByEmail(tx.db, verifiedEmail)
  if (sameAddress) {
    const owner = await takeOver(parts, tx, sameAddress)
    await link(owner.userId)
    await tx.audit({
      action: 'auth.identity.link',
      outcome: 'success',
      resourceId: owner.userId,
      metadata: { provider },
    })
    return owner
  }
  if (!(await canSignUp(parts, verifiedEmail))) return 'signup_disabled'
  const userMetadata = name === undefined ? {} : { name }
  const appMetadata = { provider }
  const added = await addUser(tx.db, { email: verifiedEmail, emailConfirmedAt: now, userMetadata, appMetadata })
  if (!added) return 'invalid_request'
  await link(added.userId)
  await tx.audit({ action: 'auth.signup', outcome: 'success', resourceType: 'user', resourceId: added.userId })
  return added
}

async function readProfile(
  parts: Parts,
  provider: SocialProvider,
  returnedTo: URL,
  attempt: SignInAttempt,
): Promise<Profile | { error: string; description: string }> {
  try {
    return await provider.readProfile(returnedTo, attempt)
  } catch (error) {
    parts.kernel.log.warn('a sign-in at another provider failed', { provider: provider.name, error })
    if (error instanceof ProviderUnreachable) {
      return { error: 'auth_provider_unreachable', description: 'The sign-in provider cannot be reached.' }
    }
    return { error: 'access_denied', description: 'The answer of the provider could not be trusted.' }
  }
}

function describeAttempt({ kernel, publicUrl }: Parts, provider: string, state: string): SignInAttempt {
  return {
    state,
    nonce: kernel.tokenHasher.hashToken(`social nonce ${state}`),
    verifier: kernel.tokenHasher.hashToken(`social verifier ${state}`),
    callbackUrl: `${publicUrl()}/v1/auth/callback/${provider}`,
  }
}

function isFitting(row: SocialSignIn, verifier: string, now: Date): boolean {
  return row.expiresAt > now && equalConstantTime(row.codeChallenge, challengeOf(verifier))
}

const challengeOf = (verifier: string) => createHash('sha256').update(verifier).digest('base64url')
const hashState = ({ kernel }: Parts, state: string) => kernel.tokenHasher.hashToken(`social state ${state}`)
const hashCode = ({ kernel }: Parts, code: string) => kernel.tokenHasher.hashToken(`social code ${code}`)

function addParameters(address: string, parameters: Record<string, string>): string {
  const url = new URL(address)
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return url.href
}
