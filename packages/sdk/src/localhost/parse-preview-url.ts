import { toText } from '../wire/read-value.ts'
import { readPort, readUrl, tailOf, toInternalUrl } from './preview-options.ts'

/** What a preview address stands for. */
export interface PreviewTarget {
  readonly port: number
  /** The sandbox as the address names it: its id in a path, its lower-case label in a host name. */
  readonly sandboxId: string
  readonly backendPort: number
  readonly path: string
}

const LOCAL_LABEL = /^p(\d{1,5})-([a-z0-9-]+)\.localhost$/
const DEPLOYED_LABEL = /^(?:dev|staging|prod|preview)-p(\d{1,5})-([a-z0-9-]+)\.[^.]/
const PROXY_PATH = /^\/v1\/p\/([^/]+)\/(\d{1,5})(?=\/|$)/

/**
 * Reads a preview address in any of its three forms: a `localhost` sub-domain, a preview host, a path below the API.
 *
 * @example
 * parseSubdomainUrl('http://p3000-sbx-1.localhost:8008/a')
 * // { port: 3000, sandboxId: 'sbx-1', backendPort: 8008, path: '/a' }
 */
export function parseSubdomainUrl(url: string | null | undefined): PreviewTarget | null {
  const parsed = readUrl(toText(url).trim())
  if (!parsed || (parsed.protocol !== 'http:' && parsed.protocol !== 'https:')) return null
  const backendPort = Number(parsed.port) || (parsed.protocol === 'https:' ? 443 : 80)
  const [, hostPort, label] = LOCAL_LABEL.exec(parsed.hostname) ?? DEPLOYED_LABEL.exec(parsed.hostname) ?? []
  if (label !== undefined) return describeTarget(hostPort, label, backendPort, tailOf(parsed))
  const [prefix, sandboxId, pathPort] = PROXY_PATH.exec(parsed.pathname) ?? []
  if (prefix === undefined || sandboxId === undefined) return null
  return describeTarget(pathPort, sandboxId, backendPort, tailOf(parsed).slice(prefix.length))
}

/**
 * True for an address that shows a port of a sandbox.
 *
 * @example
 * isPreviewUrl('https://api.example.com/v1/p/SBX_1/3000/') // true
 */
export function isPreviewUrl(url: string | null | undefined): boolean {
  return parseSubdomainUrl(url) !== null
}

/**
 * A preview address as a program inside the sandbox sees it; any other address unchanged.
 *
 * @example
 * proxyUrlToInternal('http://p3000-sbx-1.localhost:8008/a') // 'http://localhost:3000/a'
 */
export function proxyUrlToInternal(url: string): string {
  const target = parseSubdomainUrl(url)
  return target ? toInternalUrl(target.port, target.path) : url
}

function describeTarget(
  portText: string | undefined,
  sandboxId: string,
  backendPort: number,
  tail: string,
): PreviewTarget | null {
  const port = readPort(portText)
  const path = tail.startsWith('/') ? tail : `/${tail}`
  return port === undefined ? null : { port, sandboxId, backendPort, path }
}
