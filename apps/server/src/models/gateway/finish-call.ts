import type { Parts } from '../parts.ts'
import type { ServableModel } from '../resolve.ts'
import { writeSse } from '../wire/sse.ts'
import type { Asking, Caller, Outcome } from './call-facts.ts'
import { describeContext, estimateUsage, type GatewayCall, plainHeaders, styleOf } from './describe-call.ts'
import { ClientGone, type GatewayFailure, toFailure } from './failure.ts'
import { type MeteredCall, recordRefusal } from './meter-call.ts'
import type { Relayed } from './relay-answer.ts'
import { NoModelAnswered, type Tried } from './try-models.ts'
import { renderFailure, sendFailure } from './write-failure.ts'

/** What the last lines of a call need to know of it. */
export interface Finishing {
  readonly call: GatewayCall
  readonly caller: Caller
  readonly asking: Asking
  readonly startedAt: number
}

/** Ends an answer and writes down what it cost. */
export function finishAnswer(
  { call, caller, asking, startedAt }: Finishing,
  metered: MeteredCall,
  { model, result, failures }: Tried<Relayed>,
): string {
  const { usage, sentBytes, firstByteAt, cutBy, isCutTold } = result
  if (cutBy && isCutTold !== true) sendCut(call, caller, cutBy, asking, model)
  if (!call.outgoing.writableEnded) call.outgoing.end()
  const entry = metered.finish({
    model,
    status: 200,
    errorCode: cutBy ? 'stream_interrupted' : null,
    errorMessage: cutBy?.message ?? null,
    usage: usage ?? estimateUsage(asking, sentBytes),
    isEstimated: usage === undefined,
    attempts: failures,
    attemptCount: failures.length + 1,
    firstTokenMs: firstByteAt === undefined ? null : Math.round(firstByteAt - startedAt),
  })
  return entry.call_id
}

/** Half an answer is out: an event of the protocol says that the rest does not come. */
function sendCut(call: GatewayCall, caller: Caller, cutBy: GatewayFailure, asking: Asking, model: ServableModel): void {
  const style = styleOf(caller.endpoint)
  const context = { ...describeContext(caller, asking, model), attempts: [] }
  const data = JSON.stringify(renderFailure(cutBy, style, context))
  call.outgoing.write(writeSse(style === 'anthropic' ? { event: 'error', data } : { data }))
}

/** Tells the caller, if there still is one, and writes down what became of the call. */
export function finishFailure(
  parts: Parts,
  { call, caller, asking, startedAt }: Finishing,
  metered: MeteredCall | undefined,
  error: unknown,
  hasLeft: boolean,
): string {
  const tried = error instanceof NoModelAnswered ? error : undefined
  const gone = error instanceof ClientGone ? error : undefined
  const isGone = gone !== undefined || hasLeft
  const failure = tried?.failure ?? toFailure(error)
  if (failure.code === 'gateway_error') parts.kernel.log.error('a call of a model failed', { error })
  const failures = tried?.failures ?? []
  const outcome: Outcome = {
    model: tried?.model ?? gone?.model,
    status: isGone ? 499 : failure.status,
    errorCode: isGone ? 'client_disconnected' : failure.code,
    errorMessage: isGone ? 'The caller went away before the answer was whole.' : failure.message,
    // What the provider had begun may be billed: the prompt and what was sent count.
    usage: isGone && metered ? (gone?.usage ?? estimateUsage(asking, gone?.sentBytes ?? 0)) : undefined,
    isEstimated: isGone && gone?.usage === undefined,
    attempts: failures,
    attemptCount: failures.length,
    firstTokenMs: null,
  }
  const entry = metered
    ? metered.finish(outcome)
    : recordRefusal(parts, caller, asking, outcome, performance.now() - startedAt)
  tell(call, caller, asking, failure, tried, isGone)
  return entry.call_id
}

function tell(
  call: GatewayCall,
  caller: Caller,
  asking: Asking,
  failure: GatewayFailure,
  tried: NoModelAnswered | undefined,
  isGone: boolean,
): void {
  if (isGone || call.outgoing.headersSent) {
    call.outgoing.destroy()
    return
  }
  const context = { ...describeContext(caller, asking, tried?.model), attempts: tried?.failures ?? [] }
  sendFailure(call.outgoing, failure, styleOf(caller.endpoint), context, plainHeaders(call, caller))
}
