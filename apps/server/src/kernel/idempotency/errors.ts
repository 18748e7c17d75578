export type IdempotencyCode =
  | 'idempotency_key_invalid'
  | 'idempotency_conflict'
  | 'idempotency_in_flight'
  | 'idempotency_answer_gone'

/** The code is one of the contract's, which has its status and its sentence. */
export class IdempotencyError extends Error {
  override readonly name = 'IdempotencyError'
  readonly code: IdempotencyCode

  constructor(code: IdempotencyCode) {
    super(code)
    this.code = code
  }

  static isInstance(value: unknown): value is IdempotencyError {
    return value instanceof Error && value.name === 'IdempotencyError'
  }
}

/** The attempt was away for so long that another took its place. Its transaction must not commit. */
export class AttemptLostError extends Error {
  override readonly name = 'AttemptLostError'
}
