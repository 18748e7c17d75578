import { cutText } from '../text/cut-text.ts'
import type { StatusLike } from '../wire/message-types.ts'
import { readFinite, toRecord } from '../wire/read-value.ts'
import { extractGatewayErrorDetails, type GatewayErrorDetails } from './extract-gateway-error.ts'
import { unwrapError } from './unwrap-error.ts'

/** A retry message shown beside a turn is never longer than this, the ellipsis included. */
const RETRY_MESSAGE_LIMIT_CHARS = 60

/** Why and when the session tries again. */
export interface RetryInfo {
  readonly attempt: number
  readonly message: string
  /** When the next attempt starts, in epoch milliseconds. */
  readonly next: number
  readonly details: GatewayErrorDetails | undefined
}

/**
 * The retry a session waits for, with a message short enough for a status line; undefined in any other status.
 *
 * @example
 * getRetryInfo({ type: 'retry', attempt: 2, next: 456, message: 'Bad Gateway' })
 * // { attempt: 2, message: 'Bad Gateway', next: 456, details: undefined }
 */
export function getRetryInfo<S extends StatusLike>(status: S | null | undefined): RetryInfo | undefined {
  const message = getRetryMessage(status)
  if (message === undefined) return undefined
  const retry = toRecord(status)
  return {
    attempt: readFinite(retry.attempt) ?? 0,
    message: cutText(message, RETRY_MESSAGE_LIMIT_CHARS, '…'),
    next: readFinite(retry.next) ?? 0,
    details: extractGatewayErrorDetails(retry.message),
  }
}

/**
 * The whole text behind a retry; undefined in any other status.
 *
 * @example
 * getRetryMessage({ type: 'retry', attempt: 1, next: 0, message: 'Error: busy' }) // 'busy'
 */
export function getRetryMessage<S extends StatusLike>(status: S | null | undefined): string | undefined {
  const { type, message } = toRecord(status)
  return type === 'retry' ? unwrapError(message) : undefined
}
