import { normalizeBase } from '../config/backend-url.ts'
import type { SvcConfig } from '../config/svc-config.ts'
import { type ApiError, AuthError, isApiError } from '../errors/api-error.ts'
import {
  describeAbort,
  describeCause,
  describeFailedReply,
  describeNetworkFailure,
} from '../errors/describe-failure.ts'
import { toRecord, toText } from '../wire/read-value.ts'
import { decodeReply } from './decode-reply.ts'
import { limitTime } from './limit-time.ts'

export const TIMEOUT_MS = 30_000
const READ_RETRY_MS: readonly number[] = [250, 500]
const TOKEN_TRIES = 2
const TOKEN_RETRY_MS = 200

/** One call of the service. */
export interface ServiceRequest {
  readonly method: string
  /** Relative to `backendUrl`, query included. */
  readonly path: string
  /** A sandbox's address, for requests that go there; a 401 is then repeated once with a new token. */
  readonly base?: string | undefined
  /** JSON, or a `FormData` or `Blob` as it is; a falsy body sends nothing. */
  readonly body?: unknown
  /** The credential when it is not the config's; the empty one sends none. */
  readonly token?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly signal?: AbortSignal | undefined
  readonly timeoutMs?: number | undefined
  readonly credentials?: RequestInit['credentials'] | undefined
  /** The timer covers only the wait for the headers. */
  readonly untilHeaders?: boolean | undefined
  /** Waits between attempts of an upload, which is also repeated after 408 and 429. */
  readonly retryMs?: readonly number[] | undefined
}

/** Sends a request and reads its reply. Reads are retried twice; everything else is sent once. Rejects with `ApiError`. */
export async function sendRequest<T>(
  config: SvcConfig,
  request: ServiceRequest,
  read: (response: Response) => Promise<T>,
): Promise<T> {
  const { method, retryMs, signal } = request
  const delays = retryMs ?? (/^(GET|HEAD)$/.test(method) ? READ_RETRY_MS : [])
  for (let retry = 0; ; retry++) {
    try {
      return await sendOnce(config, request, read)
    } catch (error) {
      const delayMs = delays[retry]
      if (!delayMs || !isTransient(error, retryMs ? /^(408|429|50[234])|NETWORK/ : /^50[234]|NETWORK/)) throw error
      await sleep(delayMs)
      if (signal?.aborted) throw describeAbort(signal.reason)
    }
  }
}

/** The headers every request carries; what the caller set stays. */
export function addHeaders(
  given: RequestInit['headers'],
  { clientSource }: SvcConfig,
  token: string,
  type = '',
): Headers {
  const headers = new Headers(given)
  const [source = ''] = /^(api|cli|mobile|web)$/.exec(toText(clientSource).trim().toLowerCase()) ?? []
  const own = { authorization: token && `Bearer ${token}`, 'x-svc-client': source, 'content-type': type }
  for (const [name, value] of Object.entries(own)) {
    if (value && !headers.has(name)) headers.set(name, value)
  }
  return headers
}

/** The reply to `ask`, asked once more with a new token after a 401 if `mayRenew` and there is one. */
export async function askWithToken(
  config: SvcConfig,
  token: string,
  mayRenew: boolean,
  ask: (token: string) => Promise<Response>,
): Promise<Response> {
  const reply = await ask(token)
  for (let tries = mayRenew && reply.status === 401 ? TOKEN_TRIES : 0; tries > 0; tries--) {
    const renewed = await config.getToken()
    if (renewed && renewed !== token) return ask(renewed)
    if (tries > 1) await sleep(TOKEN_RETRY_MS)
  }
  return reply
}

/** Waits. */
export const sleep = (delayMs: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, delayMs))

/** The config's own fetch, else the ambient one at the moment of the call. */
export const fetchWith = (config: SvcConfig, url: string | URL | Request, init: RequestInit): Promise<Response> =>
  (config.fetch ?? fetch)(url, init)

async function sendOnce<T>(
  config: SvcConfig,
  request: ServiceRequest,
  read: (response: Response) => Promise<T>,
): Promise<T> {
  const { method, path, base, body, headers, signal, timeoutMs = TIMEOUT_MS, credentials = 'omit' } = request
  const token = request.token ?? (await readToken(config))
  const below = path.replace(/^\/+/, '')
  const url = `${base ?? normalizeBase(config.backendUrl)}/${below}`
  const limit = limitTime(url, `/${below}`, timeoutMs, signal)
  try {
    const isRaw = body instanceof FormData || body instanceof Blob
    const type = body && !isRaw ? 'application/json' : ''
    const init: RequestInit = { method, signal: limit.signal, credentials }
    if (body) init.body = isRaw ? body : JSON.stringify(body)
    const response = await limit.race(
      askWithToken(config, token, !!base, (bearer) =>
        fetchWith(config, url, { ...init, headers: addHeaders(headers, config, bearer, type) }),
      ),
    )
    if (!response.ok) throw await limit.race(describeReply(response))
    if (request.untilHeaders) limit.stopTimer()
    return await limit.race(read(response))
  } catch (error) {
    throw describeThrown(limit.signal.aborted ? limit.signal.reason : error)
  } finally {
    limit.release()
  }
}

async function readToken(config: SvcConfig): Promise<string> {
  try {
    const token = await config.getToken()
    if (token) return token
  } catch (error) {
    throw isApiError(error) ? error : describeCause(error, 'TOKEN_FAILED', 'getToken failed')
  }
  throw new AuthError()
}

async function describeReply(response: Response): Promise<ApiError> {
  // A failure whose body cannot be read is still the failure that its status says.
  return describeFailedReply(response, await decodeReply(response).catch(() => undefined))
}

function describeThrown(error: unknown): unknown {
  if (isApiError(error)) return error
  return toRecord(error).name === 'AbortError' ? describeAbort(error) : describeNetworkFailure(error)
}

function isTransient(error: unknown, failures: RegExp): boolean {
  const { status, code } = toRecord(error)
  return failures.test(`${status} ${code}`)
}
