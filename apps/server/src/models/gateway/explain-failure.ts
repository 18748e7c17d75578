import { findOutboundError } from '../../kernel/outbound/index.ts'
import { asArray, asObject, asText, type Json, tryParse } from '../wire/json.ts'
import { GatewayFailure } from './failure.ts'

/** Says what went wrong and nothing of where the upstream is: that may be inside the operator's network. */
export function explainNetwork(error: unknown): GatewayFailure {
  if (error instanceof GatewayFailure) return error
  const own = findOutboundError(error)
  if (own) {
    const isRefused = own.code === 'outbound_refused'
    return new GatewayFailure({
      status: isRefused ? 400 : 502,
      code: isRefused ? 'model_unavailable' : 'upstream_error',
      message: own.message,
      isTransient: !isRefused,
    })
  }
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const isTimeout = /TIMEOUT/.test(code)
  return new GatewayFailure({
    status: isTimeout ? 504 : 502,
    code: 'upstream_error',
    message: isTimeout ? 'The provider did not answer in time.' : 'The provider cannot be reached.',
    upstreamCode: code === '' ? undefined : code.toLowerCase(),
    isTransient: true,
  })
}

export interface Refused {
  readonly status: number
  readonly text: string
  readonly retryAfter?: string | undefined
  readonly provider: string
  readonly isSubscription?: boolean
}

const maxRetryAfterSeconds = 60

export function explainStatus({ status, text, retryAfter, provider, isSubscription }: Refused): GatewayFailure {
  const parsed = tryParse(text)
  const document = asObject(Array.isArray(parsed) ? parsed[0] : parsed)
  const error = asObject(document.error)
  const said = asText(error.message) ?? asText(document.message) ?? asText(document.error)
  const isKeyRefused = status === 401 || status === 403
  if (isKeyRefused && isSubscription === true) {
    return new GatewayFailure({
      status: 400,
      code: 'provider_reauth_required',
      message: `The subscription at ${provider} must be signed in again.`,
      upstreamStatus: status,
    })
  }
  return new GatewayFailure({
    // A provider that refuses our key is no refusal of the caller's own, and where it points us nobody goes.
    status: isKeyRefused || status < 400 ? 502 : status,
    code: asText(error.code) === 'scripted_failure' ? 'scripted_failure' : 'upstream_error',
    message: status < 400 ? `${provider} answered with a redirect.` : (said ?? `${provider} answered with ${status}.`),
    upstreamStatus: status,
    upstreamCode: asText(error.code) ?? asText(error.status) ?? asText(error.type),
    isTransient: status === 429 || status >= 500,
    retryAfterSeconds: readRetryAfter(retryAfter, error),
  })
}

/** Seconds or a date in the header; Google says it in the body. */
function readRetryAfter(header: string | undefined, { details }: Json): number | undefined {
  const told = asArray(details)
    .flatMap((detail) => asText(asObject(detail).retryDelay) ?? [])[0]
    ?.replace(/s$/, '')
  const given = header?.trim() || told
  if (given === undefined || given === '') return undefined
  const seconds = /^[\d.]+$/.test(given) ? Number(given) : (Date.parse(given) - Date.now()) / 1_000
  return Number.isFinite(seconds) ? Math.min(maxRetryAfterSeconds, Math.max(0, Math.ceil(seconds))) : undefined
}
