import { hasMark, markError } from './mark-error.ts'

/**
 * A member of a session handle was used before `ensureReady()` resolved.
 *
 * @example
 * throw new SessionNotReadyError('previewUrl')
 */
export class SessionNotReadyError extends Error {
  declare readonly action: string

  constructor(action: string) {
    super(`The session is not ready for ${action}. Await ensureReady() first.`)
    markError(this, 'SessionNotReadyError')
    this.action = action
  }

  /** Recognises a `SessionNotReadyError` of any copy of this package. */
  static isInstance(value: unknown): value is SessionNotReadyError {
    return hasMark(value, 'SessionNotReadyError')
  }
}

/**
 * No sandbox is active, so there is no runtime to talk to.
 *
 * @example
 * throw new RuntimeNotReadyError()
 */
export class RuntimeNotReadyError extends Error {
  constructor(message = 'No runtime is active. Await ensureReady() first.') {
    super(message)
    markError(this, 'RuntimeNotReadyError')
  }

  /** Recognises a `RuntimeNotReadyError` of any copy of this package. */
  static isInstance(value: unknown): value is RuntimeNotReadyError {
    return hasMark(value, 'RuntimeNotReadyError')
  }
}

/** How a session start ended. */
export interface SessionStartFailure {
  readonly status?: number | undefined
  readonly code?: string | undefined
  /** True when asking again cannot help. */
  readonly terminal: boolean
}

/**
 * A session could not start, and polling on will not change that.
 *
 * @example
 * throw new SessionStartError('The sandbox image does not exist', { status: 409, terminal: true })
 */
export class SessionStartError extends Error {
  declare readonly status: number | undefined
  declare readonly code: string | undefined
  declare readonly terminal: boolean

  constructor(message: string, failure: SessionStartFailure) {
    super(message)
    markError(this, 'SessionStartError')
    this.status = failure.status
    this.code = failure.code
    this.terminal = failure.terminal
  }

  /** Recognises a `SessionStartError` of any copy of this package. */
  static isInstance(value: unknown): value is SessionStartError {
    return hasMark(value, 'SessionStartError')
  }
}

/**
 * True for a `SessionStartError`, also one made by another copy of this package.
 *
 * @example
 * if (isSessionStartError(error) && error.terminal) showFailure(error.message)
 */
export function isSessionStartError(value: unknown): value is SessionStartError {
  return SessionStartError.isInstance(value)
}

/**
 * True for a `SessionNotReadyError`, also one made by another copy of this package.
 *
 * @example
 * if (isSessionNotReadyError(error)) await session.ensureReady()
 */
export function isSessionNotReadyError(value: unknown): value is SessionNotReadyError {
  return SessionNotReadyError.isInstance(value)
}

/**
 * True for a `RuntimeNotReadyError`, also one made by another copy of this package.
 *
 * @example
 * if (isRuntimeNotReadyError(error)) showConnecting()
 */
export function isRuntimeNotReadyError(value: unknown): value is RuntimeNotReadyError {
  return RuntimeNotReadyError.isInstance(value)
}
