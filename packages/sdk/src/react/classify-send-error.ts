import { isApiError } from '../errors/api-error.ts'
import { type BillingError, isBillingError, parseBillingError } from '../errors/billing-error.ts'
import { isRuntimeNotReadyError, isSessionNotReadyError, isSessionStartError } from '../errors/session-errors.ts'
import { extractGatewayErrorDetails, type GatewayErrorDetails } from '../status/extract-gateway-error.ts'
import { unwrapError } from '../status/unwrap-error.ts'
import { toList, toRecord } from '../wire/read-value.ts'

/** Why something could not be sent, in a form that a screen can act on. */
export interface SendError {
  readonly kind: 'billing' | 'connector' | 'runtime-not-ready' | 'runtime-error'
  readonly message: string
  readonly billing?: BillingError
  /** The connectors to connect first. */
  readonly connectors?: readonly unknown[]
  readonly gateway?: GatewayErrorDetails
  readonly cause: unknown
}

const CONNECTOR = /^(connector_connection_required|required_connector_connection_unavailable)$/
const NOT_READY = /^(RUNTIME_UNAVAILABLE|sandbox_not_ready|session_not_running)$/

/**
 * Tells apart what a person has to do when a prompt could not be sent.
 *
 * @example
 * const { kind, message } = classifySendError(error)
 * if (kind === 'billing') showPlans()
 */
export function classifySendError(error: unknown): SendError {
  const message = unwrapError(error)
  const billing = parseBillingError(error)
  if (isBillingError(billing)) return { kind: 'billing', message: billing.message, billing, cause: error }
  const code = isApiError(error) ? (error.code ?? '') : ''
  if (CONNECTOR.test(code)) {
    const { connector_connections: required, connectors } = toRecord(toRecord(error).details)
    return { kind: 'connector', message, connectors: toList(required ?? connectors), cause: error }
  }
  const isMissing = isRuntimeNotReadyError(error) || isSessionNotReadyError(error) || isSessionStartError(error)
  if (isMissing || NOT_READY.test(code)) return { kind: 'runtime-not-ready', message, cause: error }
  const gateway = extractGatewayErrorDetails(toRecord(error).details ?? error)
  return { kind: 'runtime-error', message, cause: error, ...(gateway && { gateway }) }
}
