import { platformConfig } from '../config/platform-config.ts'
import type { SvcConfig } from '../config/svc-config.ts'
import { limitTime } from './limit-time.ts'
import { addHeaders, askWithToken, fetchWith, TIMEOUT_MS } from './send-request.ts'

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
  const own = input instanceof Request ? input : undefined
  const url = own?.url ?? String(input)
  const path = url.replace(/[?#].*/, '')
  const defaultMs = /\/(events|global\/event)$/.test(path) ? 0 : TIMEOUT_MS
  const given = new Headers(init.headers ?? own?.headers)
  const token = await config.getToken()
  if (!token) return refuse()
  return askWithToken(config, token, retryOnAuthError && !given.has('authorization'), (bearer) => {
    const { signal, race, stopTimer } = limitTime(url, path, timeoutMs ?? defaultMs, init.signal ?? own?.signal)
    const headers = addHeaders(given, config, bearer)
    // A request's own body can be read once, so each attempt has a copy. It stays tied to the caller's signal: only the
    // timer ends here.
    return race(fetchWith(config, own?.clone() ?? input, { ...init, headers, signal })).finally(stopTimer)
  })
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

const refuse = (): Response =>
  new Response('{"error":"Not authenticated"}', { status: 401, headers: { 'content-type': 'application/json' } })
