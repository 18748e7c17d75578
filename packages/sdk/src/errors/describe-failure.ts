import { dropUndefined, firstText, readString, toRecord } from '../wire/read-value.ts'
import { ApiError } from './api-error.ts'
import { BillingError } from './billing-error.ts'
import { RequestTooLargeError } from './request-too-large-error.ts'

/** The error for a reply outside 2xx. The first text and the first code found in the body win. */
export function describeFailedReply(response: Pick<Response, 'status' | 'statusText'>, body: unknown): ApiError {
  const { status } = response
  const fields = toRecord(body)
  const { detail } = fields
  const nested = toRecord(detail)
  const message =
    firstText(fields.message, fields.error, detail, nested.message, fields.reason) ??
    `HTTP ${status}: ${response.statusText}`
  const code = firstText(fields.code, fields.error_code, nested.error_code) ?? String(status)
  const shared = { code, details: body, data: body, response }
  if (status === 402) return Object.assign(new BillingError(status, fields, message), shared)
  if (status === 431) return Object.assign(new RequestTooLargeError(status, detail, message), shared)
  return new ApiError(message, { status, detail, ...shared })
}

/** The error for a request that this library's own timer ended. */
export function describeTimeout(url: string, endpoint: string, timeoutMs: number): ApiError {
  const message = `Request timed out after ${timeoutMs / 1000}s: ${endpoint}`
  return new ApiError(message, { code: 'TIMEOUT', url, endpoint, timeout: timeoutMs })
}

/** The error for a request that the caller or the environment ended. */
export function describeAbort(cause?: unknown): ApiError {
  return describeCause(cause, 'ABORTED', 'Request aborted', { name: 'AbortError' })
}

/** The error for a request that got no reply; it carries the cause's name, message and stack. */
export function describeNetworkFailure(cause: unknown): ApiError {
  const { name, stack } = toRecord(cause)
  const carried = dropUndefined({ name: firstText(name), stack: readString(stack) })
  return describeCause(cause, 'NETWORK_ERROR', 'Request failed', carried)
}

/** The error for something that was thrown; it says what that said. */
export function describeCause(cause: unknown, code: string, otherwise: string, carried?: object): ApiError {
  const message = firstText(toRecord(cause).message, cause) ?? otherwise
  return Object.assign(new ApiError(message, { code, cause }), carried)
}
