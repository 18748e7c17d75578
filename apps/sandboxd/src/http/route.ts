import type { IncomingMessage, ServerResponse } from 'node:http'
import type { UserContext } from '../auth/user-context.ts'

/**
 * Who may call: anybody; the platform for itself; whoever holds the service key; whoever the platform vouches for with
 * a signed user context.
 */
export type Access = 'open' | 'platform' | 'key' | 'context'

export interface Call {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly url: URL
  /** The values of `:name` segments, decoded. */
  readonly params: Readonly<Record<string, string>>
  readonly context: UserContext | undefined
}

export interface Route {
  readonly method: string
  /** Segments beginning with a colon match one segment; a last segment `*` matches the rest. */
  readonly path: string
  readonly access: Access
  handle(call: Call): Promise<void> | void
}

export interface FoundRoute {
  readonly route: Route
  readonly params: Readonly<Record<string, string>>
}

export function findRoute(routes: readonly Route[], method: string, pathname: string): FoundRoute | undefined {
  const segments = pathname.split('/')
  for (const route of routes) {
    if (route.method !== '*' && route.method !== method) continue
    const params = matchPath(route.path.split('/'), segments)
    if (params) return { route, params }
  }
  return undefined
}

function matchPath(pattern: readonly string[], segments: readonly string[]): Record<string, string> | undefined {
  const isOpenEnded = pattern.at(-1) === '*'
  if (isOpenEnded ? segments.length < pattern.length - 1 : segments.length !== pattern.length) return undefined
  const params: Record<string, string> = {}
  for (const [index, part] of pattern.entries()) {
    if (part === '*') return params
    const segment = segments[index] ?? ''
    if (part.startsWith(':')) {
      const value = decodeSegment(segment)
      if (value === undefined || value === '') return undefined
      params[part.slice(1)] = value
      continue
    }
    if (part !== segment) return undefined
  }
  return params
}

function decodeSegment(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment)
  } catch {
    // Not a percent-encoding at all: such a path names nothing here.
    return undefined
  }
}
