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
  const own = input instanceof Request ? input : undefined
  const url = own?.url ?? String(input)
  const path = url.replace(/[?#].*/, '')
  const defaultMs = /\/(events|global\/event)$/.test(path) ? 0 : TIMEOUT_MS
  const given = new Headers(init.headers ?? own?.headers)
  const ask = async (target: string | URL | Request, token: string): Promise<Response> => {
    const limit = limitTime(url, path, timeoutMs ?? defaultMs, init.signal ?? own?.signal)
    const headers = addHeaders(new Headers(given), config, token)
    // The body stays tied to the caller's signal: only the timer ends here.
    return limit.race(fetchWith(config, target, { ...init, headers, signal: limit.signal })).finally(limit.stopTimer)
  }
  const token = await config.getToken()
  if (!token) return refuse()
  // A request's own body can be read once, so a second attempt needs a copy of its own.
  const reply = await ask(own?.clone() ?? input, token)
  if (reply.status !== 401 || !retryOnAuthError || given.has('authorization')) return reply
  const renewed = await askAgain(config, token)
  return renewed ? ask(input, renewed) : reply
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
