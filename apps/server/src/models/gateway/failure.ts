import type { ProblemCode } from '@svc/contract'
import { Problem } from '../../kernel/http/index.ts'
import type { Usage } from '../catalog/price.ts'
import { cleanText } from '../ledger/call-entry.ts'
import type { ServableModel } from '../resolve.ts'

export type Stage = 'dispatch' | 'stream_error' | 'stream_probe' | 'completion_validation'

/** One model that was tried and did not answer, as the caller and the log are told. */
export interface AttemptFailure {
  readonly attempt: number
  readonly provider: string
  readonly route_model: string
  readonly resolved_model: string
  readonly stage: Stage
  readonly status?: number
  readonly code: string
  readonly message: string
}

interface FailureDetails {
  readonly status: number
  readonly code: string
  readonly message: string
  readonly stage?: Stage
  readonly upstreamStatus?: number | undefined
  readonly upstreamCode?: string | undefined
  readonly retryAfterSeconds?: number | undefined
  /** Worth trying another model for: a timeout, the network, 429 or 5xx. */
  readonly isTransient?: boolean
  readonly suggestion?: string | undefined
}

/** A call of a model that was not answered. */
export class GatewayFailure extends Error {
  override readonly name = 'GatewayFailure'
  readonly status: number
  readonly code: string
  readonly stage: Stage
  readonly upstreamStatus: number | undefined
  readonly upstreamCode: string | undefined
  readonly retryAfterSeconds: number | undefined
  readonly isTransient: boolean
  readonly suggestion: string | undefined

  constructor(details: FailureDetails) {
    super(details.message)
    this.status = details.status
    this.code = details.code
    this.stage = details.stage ?? 'dispatch'
    this.upstreamStatus = details.upstreamStatus
    this.upstreamCode = details.upstreamCode
    this.retryAfterSeconds = details.retryAfterSeconds
    this.isTransient = details.isTransient ?? false
    this.suggestion = details.suggestion
  }
}

/** The caller went away; nobody is left to answer, and no other model is asked. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone'
  readonly usage: Usage | undefined
  readonly sentBytes: number
  readonly model: ServableModel | undefined

  constructor(seen: { usage?: Usage | undefined; sentBytes?: number; model?: ServableModel } = {}) {
    super('the caller went away')
    this.usage = seen.usage
    this.sentBytes = seen.sentBytes ?? 0
    this.model = seen.model
  }
}

export function toFailure(error: unknown): GatewayFailure {
  if (error instanceof GatewayFailure) return error
  if (Problem.isInstance(error)) return fromProblem(error)
  return new GatewayFailure({ status: 500, code: 'gateway_error', message: 'The gateway met a fault of its own.' })
}

function fromProblem(problem: Problem): GatewayFailure {
  const code: ProblemCode = problem.code
  const seconds = Number(problem.headers['retry-after'])
  return new GatewayFailure({
    status: problem.status,
    code,
    message: problem.message,
    suggestion: problem.next,
    retryAfterSeconds: Number.isFinite(seconds) ? seconds : undefined,
  })
}

export function describeAttempt(
  failure: GatewayFailure,
  where: Pick<AttemptFailure, 'attempt' | 'provider' | 'route_model' | 'resolved_model'>,
): AttemptFailure {
  const status = failure.upstreamStatus ?? failure.status
  return {
    ...where,
    stage: failure.stage,
    status,
    code: failure.code,
    message: cleanText(failure.message).slice(0, 500),
  }
}
