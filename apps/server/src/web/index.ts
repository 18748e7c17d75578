import { randomBytes } from 'node:crypto'
import { operations } from '@svc/contract'
import type { Capability } from '../kernel/capability.ts'
import { Answer, handle, problem } from '../kernel/http/index.ts'
import { readDashboard } from './read-dashboard.ts'

export interface WebOptions {
  /** Origins that previews open on, for frames. */
  readonly previewOrigins: () => string
}

/** The dashboard, served from the platform's own origin. */
export function createWeb({ previewOrigins }: WebOptions): Capability {
  const dashboard = readDashboard()
  const { home, screen, deepScreen, cliAuthorize, asset } = operations.web
  const show = (reaches: readonly string[] = []) => {
    if (!dashboard) return new Answer('', { status: 302, headers: { location: '/docs' } })
    const styleNonce = randomBytes(16).toString('base64url')
    return new Answer(dashboard.page(styleNonce), {
      headers: screenHeaders({ previewOrigins: previewOrigins(), styleNonce, reaches }),
    })
  }
  return {
    routes: [
      handle(home, () => show()),
      handle(screen, () => show()),
      handle(deepScreen, () => show()),
      handle(cliAuthorize, ({ query }) => show(findLoopback(query.callback))),
      handle(asset, ({ params, request }) => {
        const found = dashboard?.asset(params.file)
        if (!found) throw problem('not_found')
        const isZipped = found.gzip !== undefined && /\bgzip\b/.test(request.incoming.headers['accept-encoding'] ?? '')
        return new Answer(isZipped && found.gzip ? found.gzip : found.body, {
          headers: {
            'content-type': found.contentType,
            'cache-control': 'public, max-age=31536000, immutable',
            vary: 'accept-encoding',
            ...(isZipped ? { 'content-encoding': 'gzip' } : {}),
          },
        })
      }),
    ],
  }
}

/** Where a command line waits on the machine of whoever opens the page; nothing else is ever allowed. */
export function findLoopback(callback: string): string[] {
  if (!URL.canParse(callback)) return []
  const { protocol, hostname, port, origin } = new URL(callback)
  return protocol === 'http:' && hostname === '127.0.0.1' && port !== '' ? [origin] : []
}

interface Policy {
  readonly previewOrigins: string
  readonly styleNonce: string
  /** Origins that the page may call besides our own. */
  readonly reaches: readonly string[]
}

/** Own script and style only; nothing inline; frames only for previews, which have origins of their own. */
function screenHeaders({ previewOrigins, styleNonce, reaches }: Policy): Record<string, string> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    // A window above the page keeps the page from scrolling with one rule of its own; it knows this answer's word.
    `style-src 'self' 'nonce-${styleNonce}'`,
    "img-src 'self' data: blob:",
    "font-src 'self'",
    ["connect-src 'self'", ...reaches].join(' '),
    `frame-src ${previewOrigins}`,
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ]
  return {
    'content-security-policy': policy.join('; '),
    'cache-control': 'no-cache',
    'cross-origin-opener-policy': 'same-origin',
  }
}
