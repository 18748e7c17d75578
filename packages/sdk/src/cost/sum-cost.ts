import { isAssistant, readInfo, readParts } from '../turns/read-message.ts'
import type { MessageLike } from '../wire/message-types.ts'
import { firstText, toAmount, toList, toRecord } from '../wire/read-value.ts'
import { addTokens, type PricingLookup, priceTokens, readTokens, type TokenTotals } from './price-tokens.ts'

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
  const tokens = readTokens(undefined)
  const entries = toList<unknown>(parts).map(toRecord)
  const steps = entries.filter(({ part }) => isStepFinish(part))
  let cost = 0
  let found = steps.length > 0
  for (const { part, message } of steps) {
    cost += costOfStep(part, readModel(message), lookup)
    addTokens(tokens, readTokens(toRecord(part).tokens))
  }
  if (found) return { cost: cost * COST_MARKUP, tokens }

  for (const message of new Set(entries.map((entry) => entry.message))) {
    const used = readTokens(readInfo(message).tokens)
    const model = readModel(message)
    const estimate = estimateCost(used, model, lookup)
    const hasTokens = Object.values(used).some((count) => count > 0)
    if (!isAssistant(message) || !(estimate > 0 || (isSubscription(model) && hasTokens))) continue
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
  const { cost, tokens } = toRecord(part)
  const reported = isSubscription(model) ? 0 : toAmount(cost)
  return reported || estimateCost(readTokens(tokens), model, lookup)
}

function estimateCost(tokens: TokenTotals, model: Model, lookup: PricingLookup | null | undefined): number {
  const { providerID, modelID } = model
  if (typeof lookup !== 'function' || !providerID || !modelID || isSubscription(model)) return 0
  const pricing = lookup(providerID, modelID)
  return pricing ? toAmount(priceTokens(tokens, pricing)) : 0
}

/** Usage that a subscription pays for. A paid model whose name merely contains `codex` is not. */
function isSubscription({ providerID, modelID }: Model): boolean {
  return /^((openai-)?codex\/|svc\/codex\/)/.test(`${providerID}/${modelID}`)
}

function readModel(message: unknown): Model {
  const { providerID, modelID } = readInfo(message)
  return { providerID: firstText(providerID), modelID: firstText(modelID) }
}

function isStepFinish(part: unknown): boolean {
  return toRecord(part).type === 'step-finish'
}
