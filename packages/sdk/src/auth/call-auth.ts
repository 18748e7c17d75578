import type { ConfigSource, FetchFunction } from '../config/svc-config.ts'
import { HeadlessAuthError } from '../errors/headless-auth-error.ts'
import { decodeReply } from '../http/decode-reply.ts'
import { sendRequest } from '../http/send-request.ts'
import { firstText, readFinite, toRecord } from '../wire/read-value.ts'

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
  { backendUrl = source().backendUrl, fetch = source().fetch, signal }: AuthCallOptions = {},
  token = '',
): Promise<unknown> {
  if (!backendUrl) throw new HeadlessAuthError('not_configured', 'Set backendUrl first.', 0)
  const request = { method: body ? 'POST' : 'GET', path: `auth/${path}`, body, token, signal, retryMs: [] }
  try {
    return await sendRequest({ ...source(), backendUrl, fetch }, request, readObject)
  } catch (error) {
    const failure = toRecord(error)
    if (/ABORTED|INVALID_BACKEND_URL/.test(`${failure.code}`)) throw error
    const body = toRecord(failure.details)
    throw new HeadlessAuthError(
      firstText(body.error) ?? 'auth_error',
      firstText(body.error_description, body.error, toRecord(failure.response).statusText, failure.message) ?? '',
      readFinite(failure.status) ?? 0,
    )
  }
}

async function readObject(response: Response): Promise<unknown> {
  const reply = await decodeReply(response).catch(() => undefined)
  if (typeof reply === 'object') return reply
  throw new Error('The answer is not JSON.')
}
