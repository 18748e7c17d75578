import { hasMark, markError } from './mark-error.ts'

/**
 * A sign-in call failed. `code` is the service's own, for example `invalid_credentials`.
 *
 * @example
 * if (isHeadlessAuthError(error) && error.code === 'over_request_rate_limit') waitAMinute()
 */
export class HeadlessAuthError extends Error {
  declare readonly code: string
  declare readonly status: number

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
