import { type ProblemCode, problems } from '@svc/contract'

interface ProblemDetails {
  /** A more specific sentence for people, in place of the table's. */
  readonly say?: string
  readonly next?: string
  /** Further fields of the answer's body: `issues`, `limit`, ... Never a secret. */
  readonly extras?: Readonly<Record<string, unknown>>
  readonly headers?: Readonly<Record<string, string>>
  /** For the log only. */
  readonly privately?: string
  readonly cause?: unknown
}

/** A refusal with a name: code, status, a sentence for the reader and a next step. Thrown anywhere below a handler. */
export class Problem extends Error {
  readonly code: ProblemCode
  readonly status: number
  readonly next: string | undefined
  readonly extras: Readonly<Record<string, unknown>>
  readonly headers: Readonly<Record<string, string>>
  readonly privately: string | undefined

  constructor(code: ProblemCode, details: ProblemDetails = {}) {
    super(details.say ?? problems[code].say, details.cause === undefined ? undefined : { cause: details.cause })
    this.name = 'Problem'
    this.code = code
    this.status = problems[code].status
    this.next = details.next ?? problems[code].next
    this.extras = details.extras ?? {}
    this.headers = details.headers ?? {}
    this.privately = details.privately
  }

  static isInstance(error: unknown): error is Problem {
    return error instanceof Error && error.name === 'Problem' && 'code' in error && 'status' in error
  }
}

/**
 * Makes a refusal to throw.
 *
 * @example throw problem('not_found', { say: 'There is no such project.' })
 */
export function problem(code: ProblemCode, details?: ProblemDetails): Problem {
  return new Problem(code, details)
}
