/**
 * The one table from error code to status, sentence and next step. Server, client, command line, dashboard and docs
 * all read it. `say` is for people; a handler may put a more specific sentence in its place.
 */
interface ProblemRow {
  readonly status: number
  readonly say: string
  readonly next?: string
}

const table = {
  // 400
  validation_failed: {
    status: 400,
    say: 'The request does not have the expected shape.',
    next: 'Correct the fields named in `issues` and send it again.',
  },
  malformed_json: { status: 400, say: 'The body is not valid JSON.', next: 'Send a JSON document in UTF-8.' },
  malformed_request: {
    status: 400,
    say: 'The request is not valid HTTP.',
    next: 'Check the request line and headers.',
  },
  invalid_encoding: { status: 400, say: 'The request is not valid UTF-8.', next: 'Encode it as UTF-8.' },
  invalid_idempotency_key: {
    status: 400,
    say: 'The Idempotency-Key header must be 1 to 255 characters of A-Z a-z 0-9 _ . : + / = -',
    next: 'Send a random key, for example a UUID.',
  },
  // 401, 402, 403
  unauthorized: {
    status: 401,
    say: 'Missing or invalid Authorization header',
    next: 'Send `Authorization: Bearer <token>`.',
  },
  entitlement_required: {
    status: 402,
    say: 'The plan of this account does not include that.',
    next: 'Ask the operator of this instance, or change the plan.',
  },
  forbidden: { status: 403, say: 'You may not do this.', next: 'Ask an owner or admin for access.' },
  // 404, 405
  not_found: { status: 404, say: 'Not found' },
  method_not_allowed: { status: 405, say: 'This method is not allowed here.', next: 'See the Allow header.' },
  request_timeout: { status: 408, say: 'The request did not arrive in time.', next: 'Send it again.' },
  // 409
  idempotency_conflict: {
    status: 409,
    say: 'This Idempotency-Key was used with another request.',
    next: 'Use a new key for a new request.',
  },
  idempotency_in_flight: {
    status: 409,
    say: 'A request with this Idempotency-Key is still running.',
    next: 'Repeat it in a moment with the same key.',
  },
  // 413, 415, 421, 429, 431
  payload_too_large: { status: 413, say: 'The body is larger than this operation accepts.' },
  unsupported_media_type: {
    status: 415,
    say: 'This operation does not read that content type.',
    next: 'Send `Content-Type: application/json`.',
  },
  unknown_host: {
    status: 421,
    say: 'This server does not answer for that host name.',
    next: 'Open it by its own address, or add the name to SVC_ALLOWED_HOSTS.',
  },
  rate_limit_exceeded: { status: 429, say: 'Too many requests.', next: 'Wait for the seconds in Retry-After.' },
  headers_too_large: { status: 431, say: 'The request headers are too large.', next: 'Send fewer or shorter headers.' },
  // 5xx
  internal: { status: 500, say: 'Internal server error', next: 'Report the request id to the operator.' },
  feature_not_supported: { status: 501, say: 'This deployment does not have that capability.' },
  request_deadline: { status: 503, say: 'The server could not finish in time.', next: 'Try again in a few seconds.' },
  unavailable: { status: 503, say: 'The service is not available right now.', next: 'Try again in a few seconds.' },
} as const satisfies Record<string, ProblemRow>

export type ProblemCode = keyof typeof table

export const problems: Readonly<Record<ProblemCode, ProblemRow>> = table

export function isProblemCode(code: string): code is ProblemCode {
  return Object.hasOwn(problems, code)
}
