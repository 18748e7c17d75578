import type { Actor } from '../kernel/actor.ts'
import type { RequestFacts } from '../kernel/http/index.ts'
import type { Principal } from '../kernel/principal.ts'
import { toPrincipal } from './authenticate.ts'
import { hashLink } from './codes/issue-code.ts'
import { type CodePurpose, findCodeByLink } from './codes/store.ts'
import { type CodeProof, verifyCode } from './codes/verify-code.ts'
import { claimInstance, isFirstRunToken, type OwnerInput } from './instance/first-run.ts'
import type { Parts } from './parts.ts'
import { requireStrongPassword } from './passwords/check-password.ts'
import { signOut } from './sessions/end-sessions.ts'
import { openPageSession } from './sessions/open-session.ts'
import { hasSessionTokenShape, mintSessionToken, pageTtlMs, scriptTtlMs } from './sessions/session-tokens.ts'
import { addSignInToken, findSignedIn } from './sessions/store.ts'
import { resetPassword, sendMagicLink, setPassword, signInWithPassword } from './sign-in.ts'
import { signUp } from './sign-up.ts'
import type { SocialProvider } from './social/provider.ts'
import { exchangeSocialCode, requireProvider, startSocialSignIn } from './social/social-sign-in.ts'
import { fromSession } from './tokens/sources.ts'

/** A mailed link that still works, before it is used. */
export interface OpenLink {
  readonly email: string
  /** The app that asked for it; it turns the link's token into a session itself. */
  readonly redirectTo: string | undefined
}

/** Sign-in for the pages of this instance: each way in ends with the token of a cookie. */
export type PageSignIn = ReturnType<typeof createPageSignIn>

export function createPageSignIn(parts: Parts, providers: ReadonlyMap<string, SocialProvider>) {
  const { kernel } = parts
  return {
    sessionTtlMs: pageTtlMs,
    isFirstRunToken: (token: string) => isFirstRunToken(parts, token),
    claim: (input: OwnerInput, actor: Actor) =>
      claimInstance(parts, input, actor, (tx, owner) => openPageSession(parts, tx, owner, 'first_run')),
    signIn: (input: { email: string; password: string }, actor: Actor) =>
      signInWithPassword(parts, input, actor, (tx, user) => openPageSession(parts, tx, user, 'password')),
    sendLink: (email: string, actor: Actor) =>
      sendMagicLink(parts, { email, redirectTo: undefined, createUser: true, userMetadata: {} }, actor),
    sendReset: (email: string, actor: Actor) => resetPassword(parts, { email, redirectTo: undefined }, actor),
    /** Where people may sign in besides here, by name. */
    providers: [...providers.keys()],
    /** The address to send the browser to, and what it has to show when it comes back to `path` of ours with a code. */
    beginAt: (name: string, path: string, actor: Actor) =>
      startSocialSignIn(
        parts,
        { provider: requireProvider(providers, name), redirectTo: `${parts.publicUrl()}${path}`, scopes: undefined },
        actor,
      ),
    useProviderCode: (proof: { code: string; code_verifier: string }, actor: Actor) =>
      exchangeSocialCode(parts, proof, actor, (tx, user, method) => openPageSession(parts, tx, user, method)),
    useCode: (proof: CodeProof, actor: Actor) =>
      verifyCode(parts, proof, actor, (tx, user) => openPageSession(parts, tx, user, proof.purpose)),

    /** True when a code was sent that has to be entered first; signs in by password otherwise. */
    async signUp({ email, password }: { email: string; password: string }, actor: Actor): Promise<boolean> {
      const input = { email, password, redirectTo: undefined, userMetadata: {} }
      return (await signUp(parts, input, actor)).requires_email_confirmation
    },

    async setPassword(proof: CodeProof, password: string, actor: Actor): Promise<string> {
      requireStrongPassword(password, proof.email ?? '')
      const passwordHash = await parts.passwords.hashPassword(password)
      return verifyCode(parts, proof, actor, async (tx, user) => {
        const changed = await setPassword(parts, tx, user.userId, passwordHash, undefined)
        return openPageSession(parts, tx, changed, 'recovery')
      })
    },

    async readLink(token: string, purpose: CodePurpose): Promise<OpenLink | undefined> {
      const row = await findCodeByLink(kernel.database.db, hashLink(kernel.tokenHasher, token))
      const isOpen = row?.purpose === purpose && !row.isDecoy && row.expiresAt > kernel.clock.now()
      return row && isOpen ? { email: row.email, redirectTo: row.redirectTo ?? undefined } : undefined
    },

    /** Whose cookie this is. Such a token opens pages only: no API route ever looks for one. */
    async find(token: string, request: RequestFacts): Promise<Principal | undefined> {
      if (!hasSessionTokenShape(token)) return undefined
      const hash = kernel.tokenHasher.hashToken(token)
      const row = await findSignedIn(kernel.database.sql, hash, 'page', kernel.clock.now())
      return row && toPrincipal(fromSession(row), request)
    },
    /**
     * An access token for a script of our own pages, whose cookie it cannot read. Ends with the page's session, and is
     * asked for again well before a day is over.
     */
    async issueAccess(principal: Principal): Promise<{ token: string; expiresAt: Date }> {
      const token = mintSessionToken()
      const expiresAt = new Date(kernel.clock.nowMs() + scriptTtlMs)
      await addSignInToken(kernel.database.db, {
        tokenHash: kernel.tokenHasher.hashToken(token),
        sessionId: principal.credentialId ?? '',
        kind: 'access',
        expiresAt,
      })
      return { token, expiresAt }
    },
    signOut: (principal: Principal) => signOut(parts, principal, 'local'),
  }
}
