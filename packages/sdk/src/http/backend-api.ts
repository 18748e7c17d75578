import { platformConfig } from '../config/platform-config.ts'
import type { ErrorContext } from '../config/svc-config.ts'
import type { ApiError } from '../errors/api-error.ts'
import { decodeReply } from './decode-reply.ts'
import { reporting, toApiError } from './report-error.ts'
import { sendRequest } from './send-request.ts'

/** How one low-level request is sent. */
export interface BackendOptions {
  /** False keeps the failure away from `onError`. Default true. */
  readonly showErrors?: boolean
  readonly errorContext?: ErrorContext
  /** Milliseconds. Default 30000. */
  readonly timeout?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
  readonly credentials?: RequestInit['credentials']
}

/** What a low-level request came to. */
export interface BackendResult<T> {
  readonly success: boolean
  readonly data?: T
  readonly error?: ApiError
}

/** A low-level request with a body. */
type Send = <T = unknown>(path: string, body?: unknown, options?: BackendOptions) => Promise<BackendResult<T>>
/** A low-level read: its options may also stand third, where they stand for the other methods. */
type Ask = <T = unknown>(path: string, options?: BackendOptions, last?: BackendOptions) => Promise<BackendResult<T>>

/** The low-level door. Only `postStream` rejects. */
export interface BackendApi {
  readonly get: Ask
  readonly post: Send
  readonly put: Send
  readonly patch: Send
  readonly delete: Send
  readonly upload: Send
  readonly uploadPut: Send
  /** The raw reply of a server-sent answer; the timeout covers only the wait for its headers. */
  postStream(path: string, body?: unknown, options?: BackendOptions): Promise<Response>
}

/**
 * Requests to any path below the backend. They never reject: a failure is `{ success: false, error }`.
 *
 * @example
 * const { data, error } = await backendApi.get<{ status: string }>('/health')
 */
export const backendApi: BackendApi = /* @__PURE__ */ createBackendApi()

function createBackendApi(): BackendApi {
  const send =
    (method: string): Send =>
    async <T>(path: string, body?: unknown, options?: BackendOptions) => {
      try {
        const data = await request(method, path, body, options, decodeReply)
        // What the service answers is the caller's to know: the type argument is their word for it.
        return { success: true, data: data as T }
      } catch (error) {
        return { success: false, error: toApiError(error) }
      }
    }
  const get = send('GET')
  const post = send('POST')
  const put = send('PUT')
  return {
    get: (path, options, last) => get(path, undefined, last ?? options),
    post,
    put,
    patch: send('PATCH'),
    delete: send('DELETE'),
    upload: post,
    uploadPut: put,
    postStream: (path, body, options) =>
      request('POST', path, body, options, async (response) => response, { accept: 'text/event-stream' }),
  }
}

/** With headers of its own, a request waits no longer than for those of the reply. */
function request<T>(
  method: string,
  path: string,
  body: unknown,
  { showErrors, errorContext, timeout, headers, ...options }: BackendOptions = {},
  read: (response: Response) => Promise<T>,
  own?: Readonly<Record<string, string>>,
): Promise<T> {
  const config = platformConfig()
  const sent = {
    ...options,
    method,
    path,
    body,
    timeoutMs: timeout,
    untilHeaders: !!own,
    headers: { ...own, ...headers },
  }
  const context = showErrors === false ? { ...errorContext, silent: true } : errorContext
  return reporting(config, context, sendRequest(config, sent, read))
}
