import { portOf, readPort, readUrl, tailOf, toInternalUrl, withLeadingSlash } from './preview-options.ts'

/** What a preview address stands for. */
export interface PreviewTarget {
  readonly port: number
  /** The sandbox as the address names it: its id in a path, its lower-case label in a host name. */
  readonly sandboxId: string
  readonly backendPort: number
  readonly path: string
}

const PREVIEW_HOST =
  /^(?:p(\d{1,5})-([a-z0-9-]+)\.localhost$|(?:dev|staging|prod|preview)-p(\d{1,5})-([a-z0-9-]+)\.[^.])/
const PROXY_PATH = /^\/v1\/p\/([^/]+)\/(\d{1,5})(?=\/|$)/

/**
 * Reads a preview address in any of its three forms: a `localhost` sub-domain, a preview host, a path below the API.
 *
 * @example
 * parseSubdomainUrl('http://p3000-sbx-1.localhost:8008/a')
 * // { port: 3000, sandboxId: 'sbx-1', backendPort: 8008, path: '/a' }
 */
export function parseSubdomainUrl(url: string | null | undefined): PreviewTarget | null {
  const parsed = readUrl(url)
  if (!parsed) return null
  const [host, localPort, localLabel, deployedPort, deployedLabel] = PREVIEW_HOST.exec(parsed.hostname) ?? []
  const [prefix = '', id, pathPort] = (!host && PROXY_PATH.exec(parsed.pathname)) || []
  const sandboxId = localLabel ?? deployedLabel ?? id
  const port = readPort(localPort ?? deployedPort ?? pathPort)
  if (!sandboxId || !port) return null
  const path = withLeadingSlash(tailOf(parsed).slice(prefix.length))
  return { port, sandboxId, backendPort: portOf(parsed), path }
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
