import { resolveUrl } from '../config/backend-url.ts'
import type { ConfigSource, FetchFunction } from '../config/svc-config.ts'
import { describeAbort } from '../errors/describe-failure.ts'
import { describeAuthFailure, HeadlessAuthError, isHeadlessAuthError } from '../errors/headless-auth-error.ts'
import { decodeReply } from '../http/decode-reply.ts'
import { limitTime } from '../http/limit-time.ts'
import { TIMEOUT_MS } from '../http/send-request.ts'
import { toRecord } from '../wire/read-value.ts'

/** Replaces parts of the config for one sign-in call. */
export interface AuthCallOptions {
  readonly backendUrl?: string | undefined
  readonly fetch?: FetchFunction | undefined
  readonly signal?: AbortSignal | undefined
}

/** Sends one sign-in call: a POST when it has a body, a GET otherwise. Rejects with `HeadlessAuthError`. */
export async function callAuth(
  source: ConfigSource,
  path: string,
  body: unknown,
  options: AuthCallOptions = {},
  token?: string,
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
