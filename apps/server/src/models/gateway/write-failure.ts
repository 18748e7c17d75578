import type { ServerResponse } from 'node:http'
import { compact, type Json } from '../wire/json.ts'
import type { AttemptFailure, GatewayFailure } from './failure.ts'

export type ErrorStyle = 'openai' | 'anthropic'

export interface FailureContext {
  readonly requestId: string
  readonly requestedModel: string
  readonly resolvedModel: string
  readonly provider: string
  readonly attempts: readonly AttemptFailure[]
}

/** The error body of the protocol, with what helps to act on it. */
export function renderFailure(failure: GatewayFailure, style: ErrorStyle, context: FailureContext): Json {
  const shared = compact({
    upstream_status: failure.upstreamStatus,
    provider: context.provider,
    requested_model: context.requestedModel,
    resolved_model: context.resolvedModel,
    request_id: context.requestId,
    suggestion: failure.suggestion ?? suggestionFor(failure),
    attempt_failures: context.attempts.length > 0 ? context.attempts : undefined,
  })
  const { message, code } = failure
  if (style === 'anthropic') {
    return { type: 'error', error: { type: anthropicType(failure.status), message, code, ...shared }, ...shared }
  }
  const type = failure.status >= 500 ? 'server_error' : 'invalid_request_error'
  const error = { message, type, param: null, code, ...shared }
  return compact({ error, message, code, upstream_code: failure.upstreamCode, ...shared })
}

export function sendFailure(
  outgoing: ServerResponse,
  failure: GatewayFailure,
  style: ErrorStyle,
  context: FailureContext,
  headers: Record<string, string>,
): void {
  const body = Buffer.from(JSON.stringify(renderFailure(failure, style, context)))
  outgoing.writeHead(failure.status, {
    ...headers,
    'content-type': 'application/json; charset=utf-8',
    'content-length': body.length,
    ...(failure.retryAfterSeconds === undefined ? {} : { 'retry-after': String(failure.retryAfterSeconds) }),
  })
  outgoing.end(body)
}

function anthropicType(status: number): string {
  const types: Record<number, string> = {
    400: 'invalid_request_error',
    401: 'authentication_error',
    402: 'billing_error',
    403: 'permission_error',
    404: 'not_found_error',
    413: 'request_too_large',
    429: 'rate_limit_error',
    503: 'overloaded_error',
    529: 'overloaded_error',
  }
  return types[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error')
}

function suggestionFor({ isTransient, upstreamStatus }: GatewayFailure): string {
  if (upstreamStatus === 401 || upstreamStatus === 403) return 'Check the key of this provider.'
  if (isTransient) return 'Try again in a moment, or add a fallback model to the routing policy.'
  return 'Check the request, or choose another model.'
}
