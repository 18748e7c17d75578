import { toText } from '../wire/read-value.ts'
import { parseSubdomainUrl } from './parse-preview-url.ts'
import {
  APPLICATION_ROUTE,
  DAEMON_PORT,
  INFRASTRUCTURE_PORTS,
  LOCAL_HOST,
  type PreviewOptions,
  readPort,
  readUrl,
  rewriteLocalhostUrl,
  tailOf,
  toInternalUrl,
  withLeadingSlash,
} from './preview-options.ts'

/** An address of a port inside the sandbox. */
export interface LocalhostUrl {
  readonly originalUrl: string
  readonly port: number
  readonly path: string
}

/** An address in running text: `http(s)` on this machine with a port, up to a character no address contains. */
export const LOCAL_URL_IN_TEXT = /https?:\/\/(?:localhost|127\.0\.0\.1):\d{1,5}(?!\d)[^\s\p{Cc}"'`<>\\^{|}]*/giu

const DAEMON_PROXY = /^\/proxy\/(\d{1,5})(?=[/?#]|$)/
const OPENING = /^["'`<([{*]+/
const CLOSING = '"\'`>)]}*.,;:!?'

/**
 * Reads an address on `localhost` or `127.0.0.1` with an explicit port, out of the text agents print: quotes, brackets,
 * punctuation and Markdown around it are removed, and text that is no address is searched for one. A preview address
 * and the daemon's `/proxy/<port>` read as the port behind them.
 *
 * @example
 * parseLocalhostUrl('(http://127.0.0.1:3000).') // { originalUrl: 'http://127.0.0.1:3000/', port: 3000, path: '/' }
 * parseLocalhostUrl('http://localhost') // null
 */
export function parseLocalhostUrl(url: string | null | undefined): LocalhostUrl | null {
  const text = unwrapUrl(toText(url))
  const parsed = readUrl(text)
  if (parsed) return readPreview(text) ?? readLocal(parsed)
  const [found] = text.matchAll(LOCAL_URL_IN_TEXT)
  return readLocal(readUrl(unwrapUrl(toText(found?.[0]))))
}

/**
 * The preview address of a localhost address. Not a localhost address: unchanged. A port of the sandbox's own machinery
 * or a page of the dashboard: the plain localhost address.
 *
 * @example
 * proxyLocalhostUrl('http://localhost:3000/a', options) // 'https://api.example.com/v1/p/SBX_1/3000/a'
 */
export function proxyLocalhostUrl(url: string, options: PreviewOptions): string
export function proxyLocalhostUrl(url: string | null | undefined, options: PreviewOptions): string | null | undefined
export function proxyLocalhostUrl(url: string | null | undefined, options: PreviewOptions): string | null | undefined {
  const parsed = parseLocalhostUrl(url)
  if (parsed === null) return url
  const { port, path } = parsed
  return isProxiable(parsed) ? rewriteLocalhostUrl(port, path, options) : toInternalUrl(port, path)
}

/**
 * True for a localhost address that `proxyLocalhostUrl` gives a preview address.
 *
 * @example
 * isProxiableLocalhostUrl('http://localhost:8000/') // false
 */
export function isProxiableLocalhostUrl(url: string | null | undefined): boolean {
  const parsed = parseLocalhostUrl(url)
  return parsed !== null && isProxiable(parsed)
}

/**
 * True for an address on this machine itself, not one that was already rewritten to a preview.
 *
 * @example
 * isInternalLocalhostUrl('http://localhost:3000/a') // true
 */
export function isInternalLocalhostUrl(url: string | null | undefined): boolean {
  return parseLocalhostUrl(url) !== null && parseSubdomainUrl(unwrapUrl(toText(url))) === null
}

/** Removes what Markdown and prose put around an address. */
export function unwrapUrl(text: string): string {
  const trimmed = text.trim()
  const linkTail = trimmed.indexOf('](')
  const link = linkTail > 0 && !trimmed.startsWith('[') ? trimmed.slice(0, linkTail) : trimmed
  const body = link.replace(OPENING, '')
  let end = body.length
  let surplus = body.split(')').length - body.split('(').length
  while (end > 0 && CLOSING.includes(body.charAt(end - 1))) {
    // A bracket that closes one inside the address belongs to the address.
    if (body.charAt(end - 1) === ')' && surplus-- <= 0) break
    end--
  }
  return body.slice(0, end)
}

function readPreview(text: string): LocalhostUrl | undefined {
  const target = parseSubdomainUrl(text)
  return target ? locate(target.port, target.path) : undefined
}

function readLocal(url: URL | undefined): LocalhostUrl | null {
  const port = url && LOCAL_HOST.test(url.hostname) ? readPort(url.port) : undefined
  if (!url || !port) return null
  const path = tailOf(url)
  const [prefix = '', inner] = (port === DAEMON_PORT && DAEMON_PROXY.exec(path)) || []
  const innerPort = readPort(inner)
  if (!innerPort) return { originalUrl: url.href, port, path }
  return locate(innerPort, withLeadingSlash(path.slice(prefix.length)))
}

const locate = (port: number, path: string): LocalhostUrl => ({ originalUrl: toInternalUrl(port, path), port, path })

function isProxiable({ port, path }: LocalhostUrl): boolean {
  return !INFRASTRUCTURE_PORTS.includes(port) && !APPLICATION_ROUTE.test(path)
}
