import { firstText, toRecord } from '../wire/read-value.ts'
import { hasMark, markError } from './mark-error.ts'

/**
 * A sign-in call failed. `code` is the service's own, for example `invalid_credentials`.
 *
 * @example
 * if (isHeadlessAuthError(error) && error.code === 'over_request_rate_limit') waitAMinute()
 */
export class HeadlessAuthError extends Error {
  readonly code: string
  readonly status: number

  constructor(code: string, message: string, status: number) {
    super(message)
    markError(this, 'HeadlessAuthError')
    this.code = code
    this.status = status
  }

  /** Recognises a `HeadlessAuthError` of any copy of this package. */
  static isInstance(value: unknown): value is HeadlessAuthError {
    return hasMark(value, 'HeadlessAuthError')
  }
}

/**
 * True for a `HeadlessAuthError`, also one made by another copy of this package.
 *
 * @example
 * if (isHeadlessAuthError(error)) showSignInError(error.message)
 */
export function isHeadlessAuthError(value: unknown): value is HeadlessAuthError {
  return HeadlessAuthError.isInstance(value)
}

/** The error for a failed reply of a sign-in route. */
export function describeAuthFailure(body: unknown, status: number, statusText: string): HeadlessAuthError {
  const { error, error_description: description } = toRecord(body)
  return new HeadlessAuthError(firstText(error) ?? 'auth_error', firstText(description, error) ?? statusText, status)
}
