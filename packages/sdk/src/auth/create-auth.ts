import type { Body, Result } from '../client/call-types.ts'
import { resolveUrl } from '../config/backend-url.ts'
import type { ConfigSource, FetchFunction } from '../config/svc-config.ts'
import { describeAbort } from '../errors/describe-failure.ts'
import { describeAuthFailure, HeadlessAuthError, isHeadlessAuthError } from '../errors/headless-auth-error.ts'
import { decodeReply } from '../http/decode-reply.ts'
import { limitTime } from '../http/limit-time.ts'
import { TIMEOUT_MS } from '../http/send-request.ts'
import { toRecord } from '../wire/read-value.ts'
import { createSvcSession, type SvcSession, type SvcSessionOptions } from './create-svc-session.ts'

/** Replaces parts of the config for one sign-in call. */
export interface AuthCallOptions {
  readonly backendUrl?: string | undefined
  readonly fetch?: FetchFunction | undefined
  readonly signal?: AbortSignal | undefined
}

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

/** The sign-in calls over a source of config. */
export function createAuth(source: ConfigSource): AuthCalls {
  const call = (path: string, body: unknown, options: AuthCallOptions | undefined, token?: string) =>
    callAuth(source, path, body, options ?? {}, token)
  const open = Object.fromEntries(
    Object.entries(AUTH_PATHS).map(([name, path]) => [
      name,
      (input: unknown, options?: AuthCallOptions) => call(path, input, options),
    ]),
  )
  const auth = {
    ...open,
    updatePassword: (input: unknown, token: string, options?: AuthCallOptions) =>
      call('password/update', input, options, token),
    user: (token: string, options?: AuthCallOptions) => call('user', undefined, options, token),
    signOut: (token: string, input: unknown = {}, options?: AuthCallOptions) => call('sign-out', input, options, token),
    session: (options: SvcSessionOptions = {}) =>
      createSvcSession({ request: (input) => call('refresh', input, undefined), ...options }),
  }
  // The paths give the calls, the interface their types; the accounting test holds the two together.
  return auth as unknown as AuthCalls
}

async function callAuth(
  source: ConfigSource,
  path: string,
  body: unknown,
  options: AuthCallOptions,
  token: string | undefined,
): Promise<unknown> {
  const config = source()
  const backendUrl = options.backendUrl ?? config.backendUrl
  if (!backendUrl) throw new HeadlessAuthError('not_configured', 'Set backendUrl before signing in.', 0)
  const url = resolveUrl(backendUrl, `auth/${path}`)
  const limit = limitTime(url, `/auth/${path}`, TIMEOUT_MS, options.signal)
  try {
    const headers: Record<string, string> = {}
    if (token !== undefined) headers.authorization = `Bearer ${token}`
    if (body !== undefined) headers['content-type'] = 'application/json'
    const init: RequestInit = { method: 'GET', headers, signal: limit.signal, credentials: 'omit' }
    if (body !== undefined) Object.assign(init, { method: 'POST', body: JSON.stringify(body) })
    const response = await limit.race((options.fetch ?? config.fetch ?? fetch)(url, init))
    // A failure whose body cannot be read is still the failure that its status says.
    const reply = await limit.race(decodeReply(response).catch(() => undefined))
    if (!response.ok) throw describeAuthFailure(reply, response.status, response.statusText)
    if (typeof reply !== 'object') throw new Error('The service answered with something that is not JSON.')
    return reply
  } catch (error) {
    if (isHeadlessAuthError(error)) throw error
    const reason = limit.reason() ?? error
    if (toRecord(reason).name === 'AbortError') throw describeAbort(options.signal?.reason ?? error)
    throw new HeadlessAuthError('auth_error', String(toRecord(reason).message ?? reason), 0)
  } finally {
    limit.release()
  }
}
