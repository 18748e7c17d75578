import { ApiError } from '../errors/api-error.ts'
import { stripTrailingSlashes } from '../text/split-path.ts'

/**
 * The base of every address, with `/v1` and without trailing slashes. A relative one stands on the page's origin;
 * where there is no page the call cannot be made.
 */
export function normalizeBase(backendUrl: string): string {
  const trimmed = stripTrailingSlashes(backendUrl.trim())
  const base = /\/v1(\/|$)/.test(trimmed) ? trimmed : `${trimmed}/v1`
  if (/^https?:\/\//i.test(base)) return base
  const { location }: typeof globalThis & { location?: { origin: string } } = globalThis
  if (backendUrl && location?.origin.startsWith('http')) return new URL(base, location.origin).href
  throw new ApiError(`backendUrl must be like https://host/v1, not "${backendUrl}".`, { code: 'INVALID_BACKEND_URL' })
}
