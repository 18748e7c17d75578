import type { Body, Result } from '../client/call-types.ts'
import { platformConfig } from '../config/platform-config.ts'
import type { ConfigSource } from '../config/svc-config.ts'
import { type AuthCallOptions, callAuth } from './call-auth.ts'
import { createSvcSession, type SvcSession, type SvcSessionOptions } from './create-svc-session.ts'

/** A sign-in call without a credential. */
type Open<Id extends AuthId> = (input: Body<Id>, options?: AuthCallOptions) => Result<Id>

type AuthId =
  | 'auth.signUp'
  | 'auth.signInWithPassword'
  | 'auth.sendMagicLink'
  | 'auth.verifyOtp'
  | 'auth.signInWithProvider'
  | 'auth.exchangeCode'
  | 'auth.refresh'
  | 'auth.resetPassword'
  | 'auth.firstRun'

/** `svc.auth`: sign-in without a page of the service. Calls reject with `HeadlessAuthError`. */
export interface AuthCalls {
  readonly signUp: Open<'auth.signUp'>
  readonly signInWithPassword: Open<'auth.signInWithPassword'>
  readonly sendMagicLink: Open<'auth.sendMagicLink'>
  readonly verifyOtp: Open<'auth.verifyOtp'>
  /** Send the browser to `url` and keep `code_verifier` for `exchangeCode`. */
  readonly signInWithProvider: Open<'auth.signInWithProvider'>
  readonly exchangeCode: Open<'auth.exchangeCode'>
  readonly refresh: Open<'auth.refresh'>
  readonly resetPassword: Open<'auth.resetPassword'>
  /** Claims a new instance with the token it printed. */
  readonly firstRun: Open<'auth.firstRun'>
  updatePassword(
    input: Body<'auth.updatePassword'>,
    accessToken: string,
    options?: AuthCallOptions,
  ): Result<'auth.updatePassword'>
  user(accessToken: string, options?: AuthCallOptions): Result<'auth.user'>
  signOut(accessToken: string, input?: Body<'auth.signOut'>, options?: AuthCallOptions): Result<'auth.signOut'>
  /** A session that stores and refreshes itself. */
  session(options?: SvcSessionOptions): SvcSession
}

/** Where each sign-in call without a credential is answered, below `auth/`. */
export const AUTH_PATHS: Readonly<Record<string, string>> = {
  signUp: 'signup',
  signInWithPassword: 'sign-in/password',
  sendMagicLink: 'sign-in/magic-link',
  verifyOtp: 'verify-otp',
  signInWithProvider: 'sign-in/oauth',
  exchangeCode: 'oauth/exchange',
  refresh: 'refresh',
  resetPassword: 'password/reset',
  firstRun: 'first-run',
}

/**
 * The sign-in calls over the config in effect, for programs without a client.
 *
 * @example
 * const { session } = await auth.signInWithPassword({ email, password })
 */
export const auth: AuthCalls = /* @__PURE__ */ createAuth(platformConfig)

/** The sign-in calls over a source of config. */
export function createAuth(source: ConfigSource): AuthCalls {
  const call = (path: string, body: unknown, options?: AuthCallOptions, token?: string) =>
    callAuth(source, path, body, options, token)
  const calls: Record<string, unknown> = {
    updatePassword: (input: unknown, token: string, options?: AuthCallOptions) =>
      call('password/update', input, options, token),
    user: (token: string, options?: AuthCallOptions) => call('user', undefined, options, token),
    signOut: (token: string, input: unknown = {}, options?: AuthCallOptions) => call('sign-out', input, options, token),
    session: (options?: SvcSessionOptions) =>
      createSvcSession({ request: (input) => call('refresh', input), ...options }),
  }
  for (const [name, path] of Object.entries(AUTH_PATHS)) {
    calls[name] = (input: unknown, options?: AuthCallOptions) => call(path, input, options)
  }
  // The paths give the calls, the interface their types; the accounting test holds the two together.
  return calls as unknown as AuthCalls
}
