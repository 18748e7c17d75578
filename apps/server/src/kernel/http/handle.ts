import type { AnyOperation } from '@svc/contract'
import type { Principal } from '../principal.ts'
import type { ResultFor } from './answer.ts'
import type { Call } from './call.ts'
import type { RequestFacts } from './request-facts.ts'

export type Handler<Op extends AnyOperation> = (call: Call<Op>) => ResultFor<Op> | Promise<ResultFor<Op>>

/**
 * Begins what the handler will have to know, while the call is still being counted and judged. The caller is known and
 * nothing else: it may only read, and what it found is for the handler alone.
 */
export type AskAhead = (request: RequestFacts, principal: Principal) => void

/** An operation with the function that answers it. */
export interface Handled {
  readonly operation: AnyOperation
  readonly run: (call: Call) => unknown
  readonly askAhead?: AskAhead | undefined
}

/**
 * Binds an operation of the contract to its handler. The handler's input and result types come from the operation.
 *
 * @example
 * handle(operations.changeRequests.merge, async ({ params, body, actor }) => mergeRequest(params.crId, body, actor))
 */
export function handle<Op extends AnyOperation>(operation: Op, run: Handler<Op>, askAhead?: AskAhead): Handled {
  // The pass only ever calls `run` with what it parsed by this very operation, so the wider type is safe here.
  return { operation, run: run as Handled['run'], askAhead }
}
