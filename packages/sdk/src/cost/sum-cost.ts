import { isAssistant, readInfo, readParts } from '../turns/read-message.ts'
import type { MessageLike } from '../wire/message-types.ts'
import { firstText, toAmount, toList, toRecord } from '../wire/read-value.ts'
import { hasTokens, type PricingLookup, priceTokens, readTokens, type TokenTotals } from './price-tokens.ts'

/** Every total is multiplied by this. */
export const COST_MARKUP = 1.2

/** What a turn cost in USD, and the tokens it used. */
export interface TurnCost {
  readonly cost: number
  readonly tokens: TokenTotals
}

/** The model that answered, as its message names it. */
interface Model {
  readonly providerID: string | undefined
  readonly modelID: string | undefined
}

/**
 * What a turn cost, the markup included: the sum of its finished steps. A step that reports no cost is estimated by
 * `lookup`; usage that a subscription pays for costs nothing and keeps its tokens. Undefined when nothing was used.
 *
 * @example
 * getTurnCost(collectTurnParts(turn), (provider, model) => prices.get(`${provider}/${model}`) ?? null)?.cost
 */
export function getTurnCost<M extends MessageLike>(
  parts: readonly { readonly part: M['parts'][number]; readonly message?: M }[],
  lookup?: PricingLookup | null,
): TurnCost | undefined {
  const tokens: TokenTotals = { input: 0, output: 0, reasoning: 0, cacheRead: 0, cacheWrite: 0 }
  const messages = new Set<unknown>()
  let cost = 0
  let found = false
  for (const entry of toList(parts)) {
    const { part, message } = toRecord(entry)
    messages.add(message)
    if (!isStepFinish(part)) continue
    found = true
    cost += costOfStep(part, readModel(message), lookup)
    addTokens(tokens, readTokens(toRecord(part).tokens))
  }
  if (found) return { cost: cost * COST_MARKUP, tokens }

  for (const message of messages) {
    const used = readTokens(readInfo(message).tokens)
    const model = readModel(message)
    const estimate = estimateCost(used, model, lookup)
    if (!isAssistant(message) || !(estimate > 0 || (isSubscription(model) && hasTokens(used)))) continue
    found = true
    cost += estimate
    addTokens(tokens, used)
  }
  return found ? { cost: cost * COST_MARKUP, tokens } : undefined
}

/**
 * What a whole session cost in USD, the markup included.
 *
 * @example
 * formatCost(getSessionCost(messages, lookup)) // '$0.42'
 */
export function getSessionCost<M extends MessageLike>(messages: readonly M[], lookup?: PricingLookup | null): number {
  let cost = 0
  for (const message of toList(messages)) {
    if (!isAssistant(message)) continue
    const model = readModel(message)
    const steps = readParts(message).filter(isStepFinish)
    if (steps.length === 0) cost += estimateCost(readTokens(readInfo(message).tokens), model, lookup)
    for (const step of steps) cost += costOfStep(step, model, lookup)
  }
  return cost * COST_MARKUP
}

function costOfStep(part: unknown, model: Model, lookup: PricingLookup | null | undefined): number {
  if (isSubscription(model)) return 0
  const { cost, tokens } = toRecord(part)
  return toAmount(cost) || estimateCost(readTokens(tokens), model, lookup)
}

function estimateCost(tokens: TokenTotals, model: Model, lookup: PricingLookup | null | undefined): number {
  const { providerID, modelID } = model
  if (typeof lookup !== 'function' || providerID === undefined || modelID === undefined || isSubscription(model))
    return 0
  const pricing = lookup(providerID, modelID)
  return pricing ? toAmount(priceTokens(tokens, pricing)) : 0
}

/** Usage that a subscription pays for. A paid model whose name merely contains `codex` is not. */
function isSubscription({ providerID, modelID }: Model): boolean {
  if (providerID === 'codex' || providerID === 'openai-codex') return true
  return providerID === 'svc' && modelID?.startsWith('codex/') === true
}

function readModel(message: unknown): Model {
  const { providerID, modelID } = readInfo(message)
  return { providerID: firstText(providerID), modelID: firstText(modelID) }
}

function isStepFinish(part: unknown): boolean {
  return toRecord(part).type === 'step-finish'
}

function addTokens(sum: TokenTotals, more: TokenTotals): void {
  sum.input += more.input
  sum.output += more.output
  sum.reasoning += more.reasoning
  sum.cacheRead += more.cacheRead
  sum.cacheWrite += more.cacheWrite
}
