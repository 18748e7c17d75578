import type { Principal } from '../principal.ts'
import type { Problem } from './problem.ts'
import type { RequestFacts } from './request-facts.ts'

/** One finished request, for the access log, the metrics and the audit log. */
export interface Finished {
  readonly request: RequestFacts
  readonly principal: Principal | undefined
  readonly status: number
  readonly durationMs: number
  readonly problem: Problem | undefined
  /** Set when the failure was not a refusal but a fault of ours. */
  readonly fault: unknown
}
