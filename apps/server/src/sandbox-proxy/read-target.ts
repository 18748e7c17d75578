import type { IncomingMessage } from 'node:http'
import { invalid, isOnPreviewHost, problem } from '../kernel/http/index.ts'
import { isClosedPort } from '../sandboxes/index.ts'

/** The daemon of every machine: files, terminals, and everything else is the agent runtime's. */
export const daemonPort = 8000

export interface Target {
  readonly externalId: string
  readonly port: number
  /** Path and query as they came, without the credential. */
  readonly path: string
  /** Where the machine's root lies in the caller's eyes. */
  readonly prefix: string
  readonly isOnOwnHost: boolean
}

/** On the host of a preview an address may hold a token of the preview's own, which is passed on. */
export function readTarget(
  incoming: IncomingMessage,
  externalId: string,
  givenPort: string,
  { isOwnToken = true }: { readonly isOwnToken?: boolean } = {},
): Target {
  const prefix = `/v1/p/${externalId}/${givenPort}`
  const isOnOwnHost = isOnPreviewHost(incoming)
  const path = (incoming.url ?? '').slice(prefix.length) || '/'
  return {
    externalId,
    port: readPort(givenPort),
    path: isOnOwnHost && !isOwnToken ? path : withoutToken(path),
    prefix: isOnOwnHost ? '' : prefix,
    isOnOwnHost,
  }
}

export function readPort(given: string): number {
  const port = /^\d{1,5}$/.test(given) ? Number(given) : 0
  if (port < 1 || port > 65_535) throw invalid([{ path: 'port', message: 'must be a port number from 1 to 65535' }])
  if (isClosedPort(port)) throw problem('port_blocked')
  return port
}

const openToProxy = /^\/svc\/(?:health|abort|pty)(?:[/?]|$)/

/** The daemon's own routes are the platform's, but for health, terminals and stopping a turn: the rest is not there. */
export function requireOpenRoute({ port, path }: Pick<Target, 'port' | 'path'>): void {
  if (port !== daemonPort) return
  const plain = plainPath(path)
  if (!/^\/+svc(?:\/|$)/i.test(plain) || openToProxy.test(plain)) return
  throw problem('not_found')
}

/** A path as those inside will read it: without its query, with dots resolved and escapes undone. */
export function plainPath(path: string): string {
  try {
    return decodeURIComponent(new URL(`http://sandbox${path}`).pathname)
  } catch (cause) {
    throw problem('validation_failed', {
      say: 'The path holds an escape that stands for no character.',
      extras: { issues: [{ path: 'path', message: 'must be percent-encoded UTF-8' }] },
      cause,
    })
  }
}

/** The credential in an address is for the platform: whatever answers inside the machine never sees it. */
export function withoutToken(path: string): string {
  const start = path.indexOf('?')
  if (start === -1) return path
  const kept = path
    .slice(start + 1)
    .split('&')
    // Read as the credential is read: an escaped name is the same name.
    .filter((pair) => !new URLSearchParams(pair).has('token'))
  return kept.length === 0 ? path.slice(0, start) : `${path.slice(0, start)}?${kept.join('&')}`
}
