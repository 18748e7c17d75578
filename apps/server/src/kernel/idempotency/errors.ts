export type IdempotencyCode =
  | 'idempotency_key_invalid'
  | 'idempotency_conflict'
  | 'idempotency_in_flight'
  | 'idempotency_answer_gone'

const PROBLEMS: Record<IdempotencyCode, { status: 400 | 409; say: string; next: string }> = {
  idempotency_key_invalid: {
    status: 400,
    say: 'The Idempotency-Key must be 1 to 255 characters of A-Z a-z 0-9 _ . : + / = -',
    next: 'Send a fresh UUID as the key of each new operation.',
  },
  idempotency_conflict: {
    status: 409,
    say: 'This Idempotency-Key was already used for a request with another body.',
    next: 'Use a new key for a new request, or repeat the first one unchanged.',
  },
  idempotency_in_flight: {
    status: 409,
    say: 'The first request with this Idempotency-Key is still running.',
    next: 'Repeat the request in a few seconds to get its answer.',
  },
  idempotency_answer_gone: {
    status: 409,
    say: 'The first request with this Idempotency-Key succeeded, but its answer was too large to keep.',
    next: 'Read what it made instead of repeating it.',
  },
}

export class IdempotencyError extends Error {
  override readonly name = 'IdempotencyError'
  readonly code: IdempotencyCode
  readonly status: 400 | 409
  readonly next: string

  constructor(code: IdempotencyCode) {
    super(PROBLEMS[code].say)
    this.code = code
    this.status = PROBLEMS[code].status
    this.next = PROBLEMS[code].next
  }

  static isInstance(value: unknown): value is IdempotencyError {
    return value instanceof Error && value.name === 'IdempotencyError'
  }
}

/** The attempt was away for so long that another took its place. Its transaction must not commit. */
export class AttemptLostError extends Error {
  override readonly name = 'AttemptLostError'
}
