import { normalizeBase } from '../config/backend-url.ts'
import type { SvcConfig } from '../config/svc-config.ts'
import { ApiError, AuthError, isApiError } from '../errors/api-error.ts'
import { describeAbort, describeFailedReply, describeNetworkFailure } from '../errors/describe-failure.ts'
import { toRecord } from '../wire/read-value.ts'
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
      if (!delayMs || !isTransient(error, retryMs ? /^(408|429|50[234])$/ : /^50[234]$/)) throw error
      await sleep(delayMs)
      if (signal?.aborted) throw describeAbort(signal.reason)
    }
  }
}

/** The headers every request carries; what the caller set stays. */
export function addHeaders(headers: Headers, { clientSource }: SvcConfig, token: string): Headers {
  const add = (name: string, value: string): void => {
    if (!headers.has(name)) headers.set(name, value)
  }
  const source = clientSource?.trim().toLowerCase() ?? ''
  if (token) add('authorization', `Bearer ${token}`)
  if (/^(api|cli|mobile|web)$/.test(source)) add('x-svc-client', source)
  return headers
}

/** Another token after a 401, or undefined when there is none. */
export async function askAgain(config: SvcConfig, used: string, tries = TOKEN_TRIES): Promise<string | undefined> {
  const token = await config.getToken()
  if (token && token !== used) return token
  if (tries < 2) return undefined
  await sleep(TOKEN_RETRY_MS)
  return askAgain(config, used, tries - 1)
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
    const sent = addHeaders(new Headers(headers), config, token)
    const isRaw = body instanceof FormData || body instanceof Blob
    if (body && !isRaw && !sent.has('content-type')) sent.set('content-type', 'application/json')
    const init: RequestInit = { method, headers: sent, signal: limit.signal, credentials }
    if (body) init.body = isRaw ? body : JSON.stringify(body)
    const ask = () => limit.race(fetchWith(config, url, init))
    let response = await ask()
    const renewed = base && response.status === 401 && (await limit.race(askAgain(config, token)))
    if (renewed) {
      sent.set('authorization', `Bearer ${renewed}`)
      response = await ask()
    }
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
    if (isApiError(error)) throw error
    throw new ApiError(`getToken failed: ${toRecord(error).message ?? error}`, { code: 'TOKEN_FAILED', cause: error })
  }
  throw new AuthError()
}

async function describeReply(response: Response): Promise<ApiError> {
  const { status, statusText } = response
  // A failure whose body cannot be read is still the failure that its status says.
  const body = await decodeReply(response).catch(() => undefined)
  return describeFailedReply({ status, statusText, body, response })
}

function describeThrown(error: unknown): unknown {
  if (isApiError(error)) return error
  return toRecord(error).name === 'AbortError' ? describeAbort(error) : describeNetworkFailure(error)
}

function isTransient(error: unknown, statuses: RegExp): boolean {
  const { status, code } = toRecord(error)
  return code === 'NETWORK_ERROR' || statuses.test(`${status}`)
}
