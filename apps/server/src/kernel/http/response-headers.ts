/** Headers that say how a browser may treat an answer. Computed once; a request only copies them. */

const exposedHeaders = [
  'X-Request-Id',
  'Retry-After',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Next-Cursor',
  'X-Audit-Row-Count',
  'X-Audit-Capped',
  'X-Audit-Complete',
  'X-Audit-Next-Cursor',
  'traceparent',
  'ETag',
  'Location',
  'Idempotency-Replayed',
]

const acceptedHeaders = [
  'Content-Type',
  'Authorization',
  'Accept',
  'traceparent',
  'tracestate',
  'X-Request-Id',
  'X-Correlation-Id',
  'Idempotency-Key',
  'If-None-Match',
  'Last-Event-ID',
  'X-Svc-Client',
]

const secure = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
}

/** No page is ever an API answer: even when a browser is tricked into showing one, it may load and run nothing. */
const apiPolicy = "default-src 'none'; frame-ancestors 'none'"

/**
 * Credentials travel in a header and never in a cookie on `/v1`, so any origin may call it. Everything else (pages,
 * metrics, the local mailbox) stays on its own origin.
 */
export function isCrossOrigin(path: string): boolean {
  return path.startsWith('/v1/') || path.startsWith('/schema/') || path.startsWith('/.well-known/')
}

export function baseHeaders(path: string): Readonly<Record<string, string>> {
  const shared = { ...secure, 'content-security-policy': apiPolicy, 'cache-control': 'no-store' }
  if (!isCrossOrigin(path)) return shared
  return {
    ...shared,
    'access-control-allow-origin': '*',
    'access-control-expose-headers': exposedHeaders.join(', '),
  }
}

export const preflightHeaders: Readonly<Record<string, string>> = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
  'access-control-allow-headers': acceptedHeaders.join(', '),
  'access-control-max-age': '86400',
  vary: 'Access-Control-Request-Headers',
}
