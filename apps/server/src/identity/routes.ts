import { operations } from '@svc/contract'
import { type Handled, handle, problem } from '../kernel/http/index.ts'
import { showUser } from './answers.ts'
import { verifyCode } from './codes/verify-code.ts'
import { checkRedirect, type RedirectRules, requireRedirect } from './instance/check-redirect.ts'
import { claimInstance } from './instance/first-run.ts'
import type { Parts } from './parts.ts'
import { findUser } from './people/store.ts'
import { signOut } from './sessions/end-sessions.ts'
import { openSession } from './sessions/open-session.ts'
import { refreshSession } from './sessions/refresh-session.ts'
import { resetPassword, sendMagicLink, signInWithPassword, updatePassword } from './sign-in.ts'
import { signUp } from './sign-up.ts'
import type { SocialProvider } from './social/provider.ts'
import { exchangeSocialCode, finishSocialSignIn, requireProvider, startSocialSignIn } from './social/social-sign-in.ts'

export function authRoutes(parts: Parts, providers: ReadonlyMap<string, SocialProvider>): Handled[] {
  const { auth } = operations
  const sent = { sent: true } as const

  return [
    handle(auth.signUp, async ({ body, actor }) =>
      signUp(
        parts,
        {
          email: body.email,
          password: body.password,
          redirectTo: checkRedirect(body.redirect_to, await redirectRules(parts)),
          userMetadata: body.data ?? {},
        },
        actor,
      ),
    ),
    handle(auth.signInWithPassword, ({ body, actor }) =>
      signInWithPassword(parts, body, actor, (tx, user) => openSession(parts, tx, user, 'password')),
    ),
    handle(auth.sendMagicLink, async ({ body, actor }) => {
      const redirectTo = checkRedirect(body.redirect_to, await redirectRules(parts))
      const { email, create_user: createUser, data: userMetadata = {} } = body
      await sendMagicLink(parts, { email, redirectTo, createUser, userMetadata }, actor)
      return sent
    }),
    handle(auth.verifyOtp, ({ body: { email, token, type }, actor }) =>
      verifyCode(parts, { email, token, purpose: type }, actor, (tx, user) => openSession(parts, tx, user, type)),
    ),
    handle(auth.signInWithProvider, async ({ body, actor }) => {
      const redirectTo = requireRedirect(body.redirect_to, await redirectRules(parts))
      const provider = requireProvider(providers, body.provider)
      return startSocialSignIn(parts, { provider, redirectTo, scopes: body.scopes }, actor)
    }),
    handle(auth.providerCallback, ({ params, request, actor }) => {
      const returnedTo = new URL(request.incoming.url ?? '/', parts.publicUrl())
      return finishSocialSignIn(parts, providers.get(params.provider), returnedTo, actor)
    }),
    handle(auth.exchangeCode, ({ body, actor }) =>
      exchangeSocialCode(parts, body, actor, (tx, user, method) => openSession(parts, tx, user, method)),
    ),
    handle(auth.refresh, ({ body, actor }) => refreshSession(parts, body.refresh_token, actor)),
    handle(auth.resetPassword, async ({ body, actor }) => {
      const redirectTo = checkRedirect(body.redirect_to, await redirectRules(parts))
      await resetPassword(parts, { email: body.email, redirectTo }, actor)
      return sent
    }),
    handle(auth.updatePassword, async ({ body, principal }) => ({
      user: await updatePassword(parts, principal, body.password),
    })),
    handle(auth.user, async ({ principal }) => {
      const user = await findUser(parts.kernel.database.db, principal.id)
      if (!user) throw problem('invalid_token')
      return { user: showUser(user) }
    }),
    handle(auth.signOut, async ({ principal, body }) => {
      await signOut(parts, principal, body.scope)
      return { ok: true } as const
    }),
    handle(auth.firstRun, ({ body, actor }) =>
      claimInstance(parts, body, actor, (tx, owner) => openSession(parts, tx, owner, 'first_run')),
    ),
  ]
}

export async function redirectRules({ kernel, publicUrl, settings }: Parts): Promise<RedirectRules> {
  return { publicUrl: publicUrl(), configured: kernel.config.redirectUrls, settings: await settings.read() }
}
