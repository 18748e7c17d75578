import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import { previewCookie } from '../identity/index.ts'
import type { Target } from './read-target.ts'

/** Headers of one connection only (RFC 9110, 7.6.1). */
const hopByHop = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

const notPassedIn = new Set([
  'host',
  'traceparent',
  'tracestate',
  'x-request-id',
  'x-svc-service-call',
  'x-svc-user-context',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'forwarded',
])

/**
 * What a program inside the machine gets to see of a request. Credentials of the platform never pass; on a preview's
 * own host its cookies and its Authorization header are its own and do.
 */
export function headersInto(incoming: IncomingMessage, target: Target, publicUrl: string): OutgoingHttpHeaders {
  const headers: OutgoingHttpHeaders = {}
  const listed = connectionHeaders(incoming.headers.connection)
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (value === undefined || hopByHop.has(name) || notPassedIn.has(name) || listed.has(name)) continue
    if (name === 'authorization' && !target.isOnOwnHost) continue
    if (name === 'cookie') {
      const kept = target.isOnOwnHost ? withoutCookie(value as string, previewCookie) : ''
      if (kept !== '') headers.cookie = kept
      continue
    }
    headers[name] = value
  }
  headers.host = target.isOnOwnHost ? (incoming.headers.host ?? 'localhost') : `localhost:${target.port}`
  headers['x-forwarded-proto'] = publicUrl.startsWith('https:') ? 'https' : 'http'
  headers['x-forwarded-host'] = incoming.headers.host ?? ''
  if (target.prefix !== '') headers['x-forwarded-prefix'] = target.prefix
  return headers
}

/** On the platform's own host a machine must not set state for that origin, nor script it. */
const notPassedOut = new Set([
  'set-cookie',
  'clear-site-data',
  'strict-transport-security',
  'service-worker-allowed',
  'access-control-allow-origin',
  'access-control-allow-credentials',
  'access-control-expose-headers',
  'report-to',
  'nel',
  'alt-svc',
])

const sandboxPolicy = 'sandbox allow-scripts allow-forms allow-popups allow-modals allow-downloads'

export function headersOut(answered: IncomingMessage, target: Target): OutgoingHttpHeaders {
  const headers: OutgoingHttpHeaders = {}
  const listed = connectionHeaders(answered.headers.connection)
  for (const [name, value] of Object.entries(answered.headers)) {
    if (value === undefined || hopByHop.has(name) || listed.has(name)) continue
    if (!target.isOnOwnHost && notPassedOut.has(name)) continue
    headers[name] = name === 'location' ? rewriteLocation(String(value), target) : value
  }
  if (target.isOnOwnHost) return headers
  const own = headers['content-security-policy']
  // Several policies in one header all hold: the machine's own can only add to ours.
  const policies = own === undefined ? sandboxPolicy : `${[own].flat().join(', ')}, ${sandboxPolicy}`
  return {
    ...headers,
    'content-security-policy': policies,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'access-control-allow-origin': '*',
    'access-control-expose-headers': exposed,
  }
}

const exposed = 'X-Svc-Proxy-Hop, X-Svc-Target-Status, X-Request-Id, ETag, Location, Content-Disposition'

/** Redirects to the machine itself stay inside the proxy. */
function rewriteLocation(location: string, { prefix, port }: Target): string {
  if (prefix === '') return location
  if (location.startsWith('/') && !location.startsWith('//')) return prefix + location
  const own = new RegExp(`^https?://(?:localhost|127\\.0\\.0\\.1|\\[::1\\])(?::${port})?(?=/|$)`, 'i')
  const rest = location.replace(own, '')
  return rest === location ? location : `${prefix}${rest || '/'}`
}

function connectionHeaders(connection: string | undefined): ReadonlySet<string> {
  return new Set((connection ?? '').split(',').map((name) => name.trim().toLowerCase()))
}

function withoutCookie(header: string, name: string): string {
  const pairs = header.split(';').map((pair) => pair.trim())
  return pairs.filter((pair) => !pair.startsWith(`${name}=`)).join('; ')
}

/** A page being opened, not a script asking. */
export function isNavigation({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>): boolean {
  if (method !== 'GET') return false
  if (headers['sec-fetch-mode'] !== undefined) return headers['sec-fetch-mode'] === 'navigate'
  return (headers.accept ?? '').includes('text/html')
}
