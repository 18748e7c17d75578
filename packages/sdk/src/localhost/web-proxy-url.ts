import { stripTrailingSlashes } from '../text/split-path.ts'
import { DAEMON_PORT, type PreviewOptions, readUrl, rewriteLocalhostUrl, tailOf } from './preview-options.ts'

const WEB_PROXY_PATH = /^(?:.*\/p\/[^/]+\/8000)?\/web-proxy\/(https?)\/([^/]+)/

/**
 * The address that shows an outside page through the sandbox; null for anything but `http` and `https`.
 *
 * @example
 * buildWebProxyUrl('https://ex.com/a?b=1', options)
 * // 'https://api.example.com/v1/p/SBX_1/8000/web-proxy/https/ex.com/a?b=1'
 */
export function buildWebProxyUrl(target: string, options: PreviewOptions): string | null {
  const url = readUrl(target)
  if (!url) return null
  const base = stripTrailingSlashes(rewriteLocalhostUrl(DAEMON_PORT, '/', options))
  return `${base}/web-proxy/${url.protocol.slice(0, -1)}/${url.host}${tailOf(url)}`
}

/**
 * The outside page behind a web-proxy address; null for any other address.
 *
 * @example
 * parseWebProxyUrl('http://localhost:8000/web-proxy/https/ex.com/a?b=1') // 'https://ex.com/a?b=1'
 */
export function parseWebProxyUrl(url: string | null | undefined): string | null {
  const parsed = readUrl(url)
  const [prefix, scheme, host] = (parsed && WEB_PROXY_PATH.exec(parsed.pathname)) ?? []
  if (!parsed || prefix === undefined) return null
  return readUrl(`${scheme}://${host}${tailOf(parsed).slice(prefix.length)}`)?.href ?? null
}

/**
 * True for an address made by `buildWebProxyUrl`.
 *
 * @example
 * isWebProxyUrl('http://localhost:8000/web-proxy/https/ex.com/') // true
 */
export function isWebProxyUrl(url: string | null | undefined): boolean {
  return parseWebProxyUrl(url) !== null
}
