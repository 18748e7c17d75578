import { attempt } from '../wire/parse-json.ts'
import { dropUndefined } from '../wire/read-value.ts'
import { hasMark, markError } from './mark-error.ts'

/** What an `ApiError` may carry besides its message. */
export interface ApiErrorFields {
  /** HTTP status, absent when no reply arrived. */
  readonly status?: number | undefined
  /** Lower-case codes come from the server, upper-case ones from this library. */
  readonly code?: string | undefined
  /** The parsed body of the reply. */
  readonly details?: unknown
  /** The parsed body of the reply. */
  readonly data?: unknown
  readonly detail?: unknown
  readonly response?: unknown
  readonly url?: string | undefined
  readonly endpoint?: string | undefined
  readonly timeout?: number | undefined
  readonly cause?: unknown
}

/**
 * A call to the service that failed.
 *
 * @example
 * throw new ApiError('Project not found', { status: 404, code: 'project_not_found' })
 */
export class ApiError extends Error {
  declare status?: number
  declare code?: string
  declare details?: unknown
  declare data?: unknown
  declare detail?: unknown
  declare response?: unknown
  declare url?: string
  declare endpoint?: string
  declare timeout?: number
  /** The flag that is off, once `isFeatureDisabledError` has recognised the error. */
  declare feature?: string

  constructor(message: unknown, fields: ApiErrorFields = {}) {
    super(coerceMessage(message))
    markError(this, 'ApiError')
    Object.defineProperty(this, 'message', { enumerable: true })
    Object.assign(this, dropUndefined(fields ?? {}))
  }

  /** Recognises an `ApiError` of any copy of this package. */
  static isInstance(value: unknown): value is ApiError {
    return hasMark(value, 'ApiError')
  }
}

/**
 * No credential: `getToken` gave null and the request was not sent.
 *
 * @example
 * if (isAuthError(error)) redirectToSignIn()
 */
export class AuthError extends ApiError {
  constructor(message: unknown = 'Not authenticated') {
    super(message, { code: 'NO_SESSION' })
    markError(this, 'AuthError')
  }

  /** Recognises an `AuthError` of any copy of this package. */
  static override isInstance(value: unknown): value is AuthError {
    return hasMark(value, 'AuthError')
  }
}

/**
 * True for an `ApiError`, also one made by another copy of this package.
 *
 * @example
 * if (isApiError(error) && error.status === 404) return null
 */
export function isApiError(value: unknown): value is ApiError {
  return ApiError.isInstance(value)
}

/**
 * True for an `AuthError`, also one made by another copy of this package.
 *
 * @example
 * if (isAuthError(error)) redirectToSignIn()
 */
export function isAuthError(value: unknown): value is AuthError {
  return AuthError.isInstance(value)
}

function coerceMessage(message: unknown): string {
  // An object without a text form (no prototype, a throwing toString) still has to become an error message.
  return attempt(() => String(message ?? '')) ?? Object.prototype.toString.call(message)
}
