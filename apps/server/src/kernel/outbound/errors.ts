import { causesOf } from '../causes.ts'

export type OutboundCode =
  | 'outbound_refused'
  | 'outbound_timeout'
  | 'outbound_too_large'
  | 'outbound_redirects'
  | 'outbound_unreachable'

/** A call to a user-supplied address that was refused or failed. The message is fit for the user who supplied it. */
export class OutboundError extends Error {
  override readonly name = 'OutboundError'
  readonly code: OutboundCode

  constructor(code: OutboundCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }

  static isInstance(value: unknown): value is OutboundError {
    return value instanceof Error && value.name === 'OutboundError'
  }
}

/** Connection errors arrive wrapped by the HTTP client; the one we made is somewhere in the chain of causes. */
export function findOutboundError(error: unknown): OutboundError | undefined {
  return causesOf(error).find(OutboundError.isInstance)
}
