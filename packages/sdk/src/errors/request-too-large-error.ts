import { firstText, toRecord } from '../wire/read-value.ts'
import { ApiError } from './api-error.ts'
import { describeRefusal } from './describe-refusal.ts'
import { hasMark, markError } from './mark-error.ts'

/** What was too large, and what to do about it. */
export interface RequestTooLargeDetail {
  readonly message: string
  readonly suggestion: string
}

/**
 * The request line or its headers were too large for the service (431).
 *
 * @example
 * new RequestTooLargeError().detail.suggestion // 'Send less in the address and the headers, …'
 */
export class RequestTooLargeError extends ApiError {
  declare status: number
  declare detail: RequestTooLargeDetail

  constructor(status = 431, detail?: unknown, message?: string) {
    const body = toRecord(detail)
    const text = firstText(message, body.message) ?? 'Request is too large'
    const suggestion = firstText(body.suggestion) ?? 'Send less in the address and the headers.'
    super(text, describeRefusal(status, { ...body, suggestion }, text))
    markError(this, 'RequestTooLargeError')
  }

  /** Recognises a `RequestTooLargeError` of any copy of this package. */
  static override isInstance(value: unknown): value is RequestTooLargeError {
    return hasMark(value, 'RequestTooLargeError')
  }
}

/**
 * True for a `RequestTooLargeError`, also one made by another copy of this package.
 *
 * @example
 * if (isRequestTooLargeError(error)) showHint(error.detail.suggestion)
 */
export function isRequestTooLargeError(value: unknown): value is RequestTooLargeError {
  return RequestTooLargeError.isInstance(value)
}
