import { newId } from '../../kernel/ids/index.ts'
import { noUsage, priceUsage } from '../catalog/price.ts'
import type { Reservation } from '../ledger/budget-leases.ts'
import { type CallEntry, cleanText } from '../ledger/call-entry.ts'
import type { ServableModel } from '../resolve.ts'
import type { Asking, Caller, Outcome } from './call-facts.ts'
import { costOf, splitCost } from './cost-of-call.ts'

/** A row of the log that is being written: a copy of a blank one, which has every member. */
type DraftEntry = { -readonly [Name in keyof CallEntry]: CallEntry[Name] }

export function blankEntry(caller: Caller, { requestedModel, isStream }: Asking, at: Date): CallEntry {
  return {
    call_id: newId(),
    account_id: caller.accountId,
    project_id: caller.projectId,
    session_id: caller.sessionId,
    agent_name: caller.agentName,
    user_id: caller.userId,
    key_id: caller.keyId,
    request_id: caller.requestId,
    endpoint: caller.endpoint,
    requested_model: cleanText(requestedModel),
    resolved_model: '',
    provider: '',
    status: 0,
    ok: false,
    error_code: null,
    error_message: null,
    latency_ms: 0,
    first_token_ms: null,
    attempts: 0,
    input_tokens: 0,
    output_tokens: 0,
    cached_tokens: 0,
    cache_write_tokens: 0,
    svc_micros: 0,
    provider_micros: 0,
    price_version: null,
    streaming: isStream,
    billing_mode: null,
    details: {},
    created_at: at.toISOString(),
  }
}

/** What is written down before any model is asked, and stays when the answer is never seen to end. */
export function cutOffEntry(blank: CallEntry, model: ServableModel | undefined, reservedMicros: number): CallEntry {
  const entry: DraftEntry = { ...blank }
  if (model) setModel(entry, model)
  Object.assign(entry, splitCost(model, reservedMicros))
  entry.status = 502
  entry.error_code = 'gateway_error'
  entry.error_message = 'The gateway was cut off during this call; it counts at what it had reserved.'
  entry.details = { is_unsettled: true }
  return entry
}

/** More tokens than any model takes is a mistake of the upstream, and no number for a database. */
const mostTokens = 1_000_000_000

export function finishEntry(
  blank: CallEntry,
  outcome: Outcome,
  latencyMs: number,
  reservation: Reservation | undefined,
): CallEntry {
  const { model, errorCode, errorMessage, usage = noUsage } = outcome
  const sane = (tokens: number) => Math.min(mostTokens, tokens)
  const counted = {
    ...usage,
    inputTokens: sane(usage.inputTokens),
    outputTokens: sane(usage.outputTokens),
    cachedTokens: sane(Math.min(usage.cachedTokens, usage.inputTokens)),
    cacheWriteTokens: sane(usage.cacheWriteTokens),
  }
  const entry: DraftEntry = { ...blank }
  if (model) {
    setModel(entry, model)
    Object.assign(entry, costOf(model, priceUsage(model.price, counted)))
  }
  entry.status = outcome.status
  entry.ok = errorCode === null
  entry.error_code = errorCode
  entry.error_message = errorMessage === null ? null : cleanText(errorMessage).slice(0, 1_000)
  entry.latency_ms = Math.round(latencyMs)
  entry.first_token_ms = outcome.firstTokenMs
  entry.attempts = outcome.attemptCount
  entry.input_tokens = counted.inputTokens
  entry.output_tokens = counted.outputTokens
  entry.cached_tokens = counted.cachedTokens
  entry.cache_write_tokens = counted.cacheWriteTokens
  entry.details = describeDetails(outcome, reservation)
  return entry
}

function setModel(entry: DraftEntry, model: ServableModel): void {
  entry.resolved_model = model.wireId
  entry.provider = model.provider
  entry.billing_mode = model.billingMode
  entry.price_version = model.price?.version ?? null
}

function describeDetails({ attempts, isEstimated }: Outcome, reservation: Reservation | undefined) {
  const details: Record<string, unknown> = {}
  if (attempts.length > 0) details.attempt_failures = attempts
  if (isEstimated === true) details.is_estimated = true
  if (reservation) details.reserved_micros = reservation.micros
  return details
}
