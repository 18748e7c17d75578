import type { Actor } from '../kernel/actor.ts'
import { problem } from '../kernel/http/index.ts'
import type { AuthSessionAnswer, AuthUserAnswer } from './answers.ts'
import { issueCode } from './codes/issue-code.ts'
import { findCodeOf, lockAddress } from './codes/store.ts'
import { describeAddress } from './describe-address.ts'
import type { InstanceSettings } from './instance/settings.ts'
import type { Parts } from './parts.ts'
import { requireStrongPassword } from './passwords/check-password.ts'
import { addUser, findUserByEmail } from './people/store.ts'
import { openSession } from './sessions/open-session.ts'

export interface SignUpInput {
  readonly email: string
  readonly password: string
  readonly redirectTo: string | undefined
  readonly userMetadata: Record<string, unknown>
}

export interface SignUpAnswer {
  user: AuthUserAnswer | null
  session: AuthSessionAnswer | null
  requires_email_confirmation: boolean
}

/**
 * While addresses are confirmed, every address gets the same answer after the same work, known or not, invited or not,
 * and nobody is added before the address is proven. Somebody who may not join is sent nothing.
 */
export async function signUp(parts: Parts, input: SignUpInput, actor: Actor): Promise<SignUpAnswer> {
  requireStrongPassword(input.password, input.email)
  const settings = await parts.settings.read()
  const mayJoin = await canSignUp(parts, input.email)
  if (isOpenToSome(settings) && confirmsAddresses(parts, settings)) return signUpByMail(parts, input, mayJoin, actor)
  if (!mayJoin) throw refuseSignUp(settings)
  return signUpAtOnce(parts, input, actor)
}

const isOpenToSome = ({ isClaimed, signUp }: InstanceSettings) => isClaimed && signUp !== 'closed'

/** Until the first-run link was used nobody signs up; after that the operator's setting decides. */
export async function canSignUp(parts: Parts, email: string): Promise<boolean> {
  const settings = await parts.settings.read()
  // Asked in every mode, so that the answer takes the same work for every address.
  const isInvited = await parts.hasPendingInvite(email)
  return isOpenToSome(settings) && (settings.signUp === 'open' || isInvited)
}

export function confirmsAddresses({ mail }: Pick<Parts, 'mail'>, settings: InstanceSettings): boolean {
  return settings.emailConfirmation === 'auto' ? mail.canLeave : settings.emailConfirmation === 'on'
}

function refuseSignUp({ isClaimed }: InstanceSettings) {
  if (isClaimed) return problem('signup_disabled')
  return problem('signup_disabled', {
    say: 'Nobody can sign up before the owner of this instance has.',
    next: 'Open the first-run link that the start printed.',
  })
}

/**
 * Whoever confirms cannot tell by which of several sign-ups the mail came. When these chose different passwords none of
 * them counts: the person comes in by the mail and chooses one by a reset.
 */
async function signUpByMail(parts: Parts, input: SignUpInput, mayJoin: boolean, actor: Actor): Promise<SignUpAnswer> {
  const { email, redirectTo, userMetadata } = input
  await parts.mail.limitByAddress(email)
  const { kernel, passwords } = parts
  const hashed = await passwords.hashPassword(input.password)
  const before = await findCodeOf(kernel.database.db, email, 'signup')
  const isRepeated = before !== undefined && (await passwords.matchesPassword(input.password, before.passwordHash))
  await kernel.database.transact(actor, async (tx) => {
    await lockAddress(tx.db, email)
    const open = await findCodeOf(tx.db, email, 'signup')
    const isAlone = !open || open.expiresAt <= kernel.clock.now()
    const isSame = isRepeated && open?.passwordHash === before.passwordHash
    const passwordHash = isAlone || isSame ? hashed : undefined
    const isKnown = (await findUserByEmail(tx.db, email)) !== undefined
    const isDecoy = !isKnown && !mayJoin
    const wanted = { email, purpose: 'signup', redirectTo, userMetadata, isDecoy, isKnown } as const
    await issueCode(parts, tx, { ...wanted, ...(passwordHash === undefined ? {} : { passwordHash }) })
    await tx.audit({
      action: 'auth.code.sent',
      outcome: 'success',
      metadata: { purpose: 'signup', ...describeAddress(parts, email) },
    })
  })
  return { user: null, session: null, requires_email_confirmation: true }
}

async function signUpAtOnce(parts: Parts, input: SignUpInput, actor: Actor): Promise<SignUpAnswer> {
  const passwordHash = await parts.passwords.hashPassword(input.password)
  return parts.kernel.database.transact(actor, async (tx) => {
    const createdAt = parts.kernel.clock.now()
    const { email, userMetadata } = input
    const user = await addUser(tx.db, { email, passwordHash, userMetadata, createdAt })
    if (!user) throw problem('user_already_exists')
    await tx.audit({ action: 'auth.signup', outcome: 'success', resourceType: 'user', resourceId: user.userId })
    const { session, user: shown } = await openSession(parts, tx, user, 'password')
    return { user: shown, session, requires_email_confirmation: false }
  })
}
