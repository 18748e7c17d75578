import { stripTrailingSlashes } from '../text/split-path.ts'
import { attempt } from '../wire/parse-json.ts'
import { firstText, toAmount, toRecord, toText } from '../wire/read-value.ts'

/** Where previews of a sandbox are served. */
export interface PreviewOptions {
  readonly sandboxId: string
  readonly backendPort: number
  /** Address of the API with its version prefix, for example `https://api.example.com/v1`. */
  readonly apiBaseUrl: string
  /** Address of preview hosts with `{port}` and `{sandbox}` in it, when the deployment has one. */
  readonly previewUrlTemplate?: string | null | undefined
}

/** The port of the daemon in every sandbox. */
export const DAEMON_PORT = 8000
/** Ports of the sandbox's own machinery; never shown as a preview. */
export const INFRASTRUCTURE_PORTS: readonly number[] = [22, 4096, DAEMON_PORT]

export const LOCAL_HOST = /^(localhost|127\.0\.0\.1)$/
/** First segments of the dashboard's own pages. */
export const APPLICATION_ROUTE =
  /^\/(?:connectors|settings|dashboard|projects|agents|skills|tools|commands|support|changelog|files|p|browser|desktop|terminal|sessions|services|workspace|channels|scheduled-tasks|marketplace|templates|tunnel|admin|auth)(?=[/?#]|$)/

/**
 * True when a preview address can be built: a sandbox is known.
 *
 * @example
 * hasPreviewTarget({ sandboxId: '', backendPort: 443, apiBaseUrl: 'https://api.example.com/v1' }) // false
 */
export function hasPreviewTarget(options: PreviewOptions | null | undefined): boolean {
  return !!firstText(toRecord(options).sandboxId)
}

/**
 * The address of a port as a program inside the sandbox sees it.
 *
 * @example
 * toInternalUrl(3000, 'a') // 'http://localhost:3000/a'
 */
export function toInternalUrl(port: number, path: string): string {
  return `http://localhost:${toAmount(port)}${withLeadingSlash(path)}`
}

/**
 * The address where a person reaches a port of the sandbox. In order: the deployment's preview hosts, a `localhost`
 * sub-domain when the API runs on this machine, a path below the API; without a sandbox the local address itself.
 *
 * @example
 * rewriteLocalhostUrl(3000, '/a', { sandboxId: 'SBX_1', backendPort: 443, apiBaseUrl: 'https://api.example.com/v1' })
 * // 'https://api.example.com/v1/p/SBX_1/3000/a'
 */
export function rewriteLocalhostUrl(port: number, path: string, options: PreviewOptions): string {
  const target = toRecord(options)
  const shownPort = String(toAmount(port))
  const sandboxId = firstText(target.sandboxId)
  if (!sandboxId) return toInternalUrl(port, path)
  const label = sandboxId.toLowerCase().replaceAll('_', '-')
  const template = toText(target.previewUrlTemplate)
  const tail = withLeadingSlash(path)
  if (template.includes('{port}') && template.includes('{sandbox}')) {
    // Split and joined, because a replacement text gives `$` a meaning.
    const filled = template.split('{port}').join(shownPort).split('{sandbox}').join(label)
    return stripTrailingSlashes(filled) + tail
  }
  const base = stripTrailingSlashes(toText(target.apiBaseUrl))
  const { hostname = '' } = readUrl(base) ?? {}
  if (LOCAL_HOST.test(hostname)) return `http://p${shownPort}-${label}.localhost:${toAmount(target.backendPort)}${tail}`
  return `${base}/p/${sandboxId}/${shownPort}${tail}`
}

/** The address in a text when it is one of the web, else undefined. */
export function readUrl(text: unknown): URL | undefined {
  const url = attempt(() => new URL(toText(text).trim()))
  return url && /^https?:$/.test(url.protocol) ? url : undefined
}

/** The port that an address is reached at. */
export const portOf = ({ port, protocol }: URL): number => Number(port) || (protocol === 'https:' ? 443 : 80)

/** A port number from 1 to 65535, or undefined. */
export function readPort(text: string | undefined): number | undefined {
  const port = /^\d{1,5}$/.test(text ?? '') ? Number(text) : 0
  return port >= 1 && port <= 65_535 ? port : undefined
}

/** Path, query and fragment in one. */
export function tailOf({ pathname, search, hash }: URL): string {
  return pathname + search + hash
}

/** The path of an address, with the slash that it starts with. */
export function withLeadingSlash(path: unknown): string {
  return toText(path).replace(/^(?!\/)/, '/')
}
