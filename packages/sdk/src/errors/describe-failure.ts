import { firstText, isRecord, toRecord } from '../wire/read-value.ts'
import { ApiError } from './api-error.ts'
import { BillingError } from './billing-error.ts'
import { RequestTooLargeError } from './request-too-large-error.ts'

/** What is known of a reply that was not a success. */
export interface FailedReply {
  readonly status: number
  readonly statusText: string
  /** The body, parsed when it was JSON. */
  readonly body: unknown
  readonly response?: unknown
}

/** The error for a reply outside 2xx. The first text and the first code found in the body win. */
export function describeFailedReply(reply: FailedReply): ApiError {
  const { status, body, response } = reply
  const { detail } = toRecord(body)
  const message = readFailureMessage(reply)
  if (status === 402) {
    const error = new BillingError(status, { ...toRecord(body), message }, message)
    return Object.assign(error, { details: body, data: body, response })
  }
  if (status === 431) {
    const error = new RequestTooLargeError(status, isRecord(detail) ? detail : undefined, message)
    return Object.assign(error, { code: readFailureCode(reply), details: body, data: body, response })
  }
  return new ApiError(message, { status, code: readFailureCode(reply), details: body, data: body, detail, response })
}

/** The error for a request that this library's own timer ended. */
export function describeTimeout(url: string, endpoint: string, timeoutMs: number): ApiError {
  const message = `Request timed out after ${timeoutMs / 1000}s: ${endpoint}`
  return new ApiError(message, { code: 'TIMEOUT', url, endpoint, timeout: timeoutMs })
}

/** The error for a request that the caller or the environment ended. */
export function describeAbort(cause?: unknown): ApiError {
  const error = new ApiError(firstText(toRecord(cause).message) ?? 'The request was aborted', {
    code: 'ABORTED',
    cause,
  })
  error.name = 'AbortError'
  return error
}

/** The error for a request that got no reply; it carries the cause's name, message and stack. */
export function describeNetworkFailure(cause: unknown): ApiError {
  const { name, message, stack } = toRecord(cause)
  const error = new ApiError(firstText(message, cause) ?? 'Network request failed', { code: 'NETWORK_ERROR', cause })
  error.name = firstText(name) ?? 'ApiError'
  if (typeof stack === 'string') error.stack = stack
  return error
}

function readFailureMessage({ body, status, statusText }: FailedReply): string {
  const { message, error, detail, reason } = toRecord(body)
  return firstText(message, error, detail, toRecord(detail).message, reason) ?? `HTTP ${status}: ${statusText}`
}

function readFailureCode({ body, status }: FailedReply): string {
  const { code, error_code: errorCode, detail } = toRecord(body)
  return firstText(code, errorCode, toRecord(detail).error_code) ?? String(status)
}
