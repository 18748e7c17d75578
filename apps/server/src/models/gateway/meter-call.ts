import { problem } from '../../kernel/http/index.ts'
import { mostPictureTokens } from '../catalog/known-models.ts'
import { affordableOutput, type Prompt, priceWorstCase } from '../catalog/price.ts'
import type { Reservation } from '../ledger/budget-leases.ts'
import type { BegunCall, CallEntry, Charge } from '../ledger/call-entry.ts'
import { blocking } from '../ledger/ledger.ts'
import { periodStart } from '../ledger/periods.ts'
import type { Parts } from '../parts.ts'
import type { Budget, ServableModel } from '../resolve.ts'
import type { Snapshot } from '../snapshot.ts'
import type { Asking, Caller, Outcome } from './call-facts.ts'
import { totalOf } from './cost-of-call.ts'
import { blankEntry, cutOffEntry, finishEntry } from './describe-entry.ts'
import { passesServerTools } from './find-server-tools.ts'

/** One call from its reservation to its row. */
export interface MeteredCall {
  /** The output limit that the budgets leave, where the caller set none. */
  readonly capTokens: number | undefined
  /** The row as it was written down. */
  finish(outcome: Outcome): CallEntry
}

/** Holds the worst case of a call against every budget, and writes down that it begins. Throws 402 when one is too tight. */
export async function meterCall(
  parts: Parts,
  snapshot: Snapshot,
  caller: Caller,
  models: readonly ServableModel[],
  asking: Asking,
): Promise<MeteredCall> {
  const startedAt = performance.now()
  const at = parts.kernel.clock.now()
  const applying = snapshot.budgets.filter((budget) => appliesTo(budget, caller))
  const held = await holdWorstCase(parts, applying, models, asking, caller.endpoint, at)
  const charges = applying.map(
    ({ budgetId, period, action }): Charge => ({
      budget_id: budgetId,
      period_start: periodStart(period, at).toISOString(),
      is_held: action === 'block',
    }),
  )
  const blank = blankEntry(caller, asking, at)
  const begun: BegunCall = {
    charges,
    entry: cutOffEntry(blank, models[0], held.reservation?.micros ?? 0),
  }
  await begin(parts, begun, held.reservation)
  return {
    capTokens: held.capTokens,
    finish(outcome) {
      const entry = finishEntry(blank, outcome, performance.now() - startedAt, held.reservation)
      parts.ledger.settle({ entry, charges }, held.reservation)
      return entry
    },
  }
}

/** A call that cannot be written down is not made: it would be lost from the log by a crash. */
async function begin({ ledger, kernel }: Parts, call: BegunCall, reservation: Reservation | undefined): Promise<void> {
  try {
    await ledger.begin(call)
  } catch (error) {
    if (reservation) ledger.release(reservation)
    kernel.log.error('a call of a model cannot be written to the journal', { error })
    throw problem('gateway_error', {
      say: 'The model gateway cannot write down calls right now, and a call that nobody counts is not made.',
      next: 'Try again in a few seconds. If it stays so, the disk of the server is full or broken: tell its operator.',
      headers: { 'retry-after': '5' },
    })
  }
}

/** A call that was refused before any model was asked has a row too, and costs nothing. */
export function recordRefusal(
  parts: Parts,
  caller: Caller,
  asking: Asking,
  outcome: Outcome,
  latencyMs: number,
): CallEntry {
  const entry = finishEntry(blankEntry(caller, asking, parts.kernel.clock.now()), outcome, latencyMs, undefined)
  parts.ledger.settle({ entry, charges: [] }, undefined)
  return entry
}

function appliesTo({ scope, subject }: Budget, caller: Caller): boolean {
  if (scope === 'project') return true
  const own = { member: caller.userId, agent: caller.agentName, session: caller.sessionId, key: caller.keyId }[scope]
  return own === subject
}

async function holdWorstCase(
  { ledger }: Parts,
  applying: readonly Budget[],
  models: readonly ServableModel[],
  asking: Asking,
  endpoint: string,
  at: Date,
): Promise<{ reservation: Reservation | undefined; capTokens: number | undefined }> {
  const budgets = blocking(applying)
  if (budgets.length === 0) return { reservation: undefined, capTokens: undefined }
  const unpriced = models.find(({ price }) => price === undefined)
  if (unpriced) {
    throw problem('budget_exceeded', {
      say: `The model “${unpriced.wireId}” has no known price, and a budget of this project must not be passed.`,
      next: 'Give the model a price in the operator’s models file, or choose one that has a price.',
    })
  }
  requireKnownFees(models, asking, endpoint)
  const full = await ledger.reserve(budgets, worstCase(models, asking, asking.maxOutputTokens), at)
  if ('leases' in full) return { reservation: full, capTokens: undefined }
  const canCap = asking.hasOutput && asking.maxOutputTokens === undefined
  const capTokens = canCap ? affordable(models, asking, full.left) : 0
  if (capTokens >= 1) {
    const capped = await ledger.reserve(budgets, worstCase(models, asking, capTokens), at)
    if ('leases' in capped) return { reservation: capped, capTokens }
  }
  throw exceeded(full.budget)
}

/** A tool of the provider's own costs a fee for each use and reads what nobody here sees: neither has a bound. */
function requireKnownFees(models: readonly ServableModel[], { serverTools }: Asking, endpoint: string): void {
  const [tool] = serverTools
  const model = models.find(({ upstream, isSubscription }) => !isSubscription && passesServerTools(endpoint, upstream))
  if (tool === undefined || !model) return
  throw problem('budget_exceeded', {
    say: `The provider of “${model.wireId}” runs “${tool}” itself, at a cost that nobody knows before, and a budget of this project must not be passed.`,
    next: 'Leave this tool out, or use one that the agent runs itself.',
  })
}

function worstCase(models: readonly ServableModel[], asking: Asking, limit: number | undefined): number {
  const costs = models.map((model) => {
    if (!model.price) return 0
    const most = model.generation.maxOutputTokens ?? model.outputTokens
    const output = asking.hasOutput ? (limit ?? most) * asking.answerCount : 0
    return totalOf(model, priceWorstCase(model.price, promptOf(model, asking), output))
  })
  return Math.max(0, ...costs)
}

/** Of what is longer to the model than to us, no more than the model takes at all. */
function promptOf({ contextTokens, upstream }: ServableModel, asking: Asking): Prompt {
  const { maxPromptTokens, pictures, isLengthUnknown, isDearer } = asking
  const ofPictures = pictures === 0 ? 0 : Math.min(contextTokens, pictures * mostPictureTokens(upstream.model))
  const tokens = maxPromptTokens + ofPictures
  return { tokens: isLengthUnknown ? Math.max(tokens, contextTokens) : tokens, isDearer }
}

function affordable(models: readonly ServableModel[], asking: Asking, leftMicros: number): number {
  const tokens = models.map((model) => {
    if (!model.price) return 0
    // A micro-dollar less for each rounding on the way back up.
    const share = ((leftMicros - 2) / totalOf(model, 1_000_000)) * 1_000_000
    const output = affordableOutput(model.price, promptOf(model, asking), share)
    return Math.min(model.outputTokens, Math.floor(output / asking.answerCount))
  })
  return Math.floor(Math.min(...tokens))
}

function exceeded({ scope, limitMicros, period }: Budget) {
  const whose = { project: 'project', member: 'member', agent: 'agent', session: 'session', key: 'key' }[scope]
  return problem('budget_exceeded', {
    say: `The ${whose} budget of $${limitMicros / 1e6} a ${period} does not allow this call.`,
  })
}
