import { platformConfig } from '../config/platform-config.ts'
import type { SvcConfig } from '../config/svc-config.ts'
import { limitTime } from './limit-time.ts'
import { addHeaders, askAgain, fetchWith, TIMEOUT_MS } from './send-request.ts'

/** How `authenticatedFetch` behaves beyond fetch itself. */
export interface AuthenticatedFetchOptions {
  /** False returns a 401 as it is. Default true. */
  readonly retryOnAuthError?: boolean
  /** Until the headers arrive. Default 30000; streams of events have none. */
  readonly timeoutMs?: number
}

/**
 * `fetch` with the token of `getToken`. Resolves with whatever reply arrives and rejects only when none does.
 *
 * @example
 * const response = await authenticatedFetch('https://svc.example.com/v1/p/config')
 */
export function authenticatedFetch(
  input: string | URL | Request,
  init?: RequestInit,
  options?: AuthenticatedFetchOptions,
): Promise<Response> {
  return fetchAuthenticated(platformConfig(), input, init, options)
}

/** The same with a config of the caller's. */
export async function fetchAuthenticated(
  config: SvcConfig,
  input: string | URL | Request,
  init: RequestInit = {},
  { retryOnAuthError = true, timeoutMs }: AuthenticatedFetchOptions = {},
): Promise<Response> {
  const token = await config.getToken()
  if (!token) return refuse()
  // A request's own body can be read once, so a second attempt needs a copy of its own.
  const first = input instanceof Request ? input.clone() : input
  const reply = await fetchOnce(config, first, init, token, timeoutMs)
  if (reply.status !== 401 || !retryOnAuthError || hasOwnToken(input, init)) return reply
  const renewed = await askAgain(config, token)
  return renewed ? fetchOnce(config, input, init, renewed, timeoutMs) : reply
}

/**
 * The token of the config in effect, or null.
 *
 * @example
 * const token = await getAuthToken()
 */
export async function getAuthToken(): Promise<string | null> {
  return platformConfig().getToken()
}

/**
 * Does nothing: there is no cache. Kept for programs written for one.
 *
 * @example
 * invalidateTokenCache()
 */
export function invalidateTokenCache(): void {
  // Nothing is cached.
}

/**
 * Does nothing: there is no cache. Kept for programs written for one.
 *
 * @example
 * setCachedAuthToken(null)
 */
export function setCachedAuthToken(_token?: string | null): void {
  // Nothing is cached.
}

async function fetchOnce(
  config: SvcConfig,
  input: string | URL | Request,
  init: RequestInit,
  token: string,
  timeoutMs?: number,
): Promise<Response> {
  const url = input instanceof Request ? input.url : String(input)
  const path = url.replace(/[?#].*/, '')
  const isStream = /\/(events|global\/event)$/.test(path)
  const own = input instanceof Request ? input : undefined
  const limit = limitTime(url, path, timeoutMs ?? (isStream ? 0 : TIMEOUT_MS), init.signal ?? own?.signal)
  try {
    const headers = addHeaders(new Headers(init.headers ?? own?.headers), config, token)
    return await limit.race(fetchWith(config, input, { ...init, headers, signal: limit.signal }))
  } finally {
    // The body stays tied to the caller's signal: only the timer ends here.
    limit.stopTimer()
  }
}

const hasOwnToken = (input: string | URL | Request, init: RequestInit): boolean =>
  new Headers(init.headers ?? (input instanceof Request ? input.headers : undefined)).has('authorization')

const refuse = (): Response =>
  new Response('{"error":"Not authenticated"}', { status: 401, headers: { 'content-type': 'application/json' } })
