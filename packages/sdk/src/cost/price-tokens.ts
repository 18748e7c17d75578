import { listOf, readFinite, toAmount, toRecord } from '../wire/read-value.ts'

/** Prices of a model in USD per million tokens. A missing cache price is the input price. */
export interface ModelRates {
  readonly inputPer1M: number
  readonly outputPer1M: number
  readonly cacheReadPer1M?: number
  readonly cacheWritePer1M?: number
}

/** Prices that apply once a call's input exceeds a threshold. */
export interface ModelRateTier extends ModelRates {
  readonly contextThreshold: number
}

/** All prices of a model. */
export interface ModelPricing extends ModelRates {
  readonly tiers?: readonly ModelRateTier[]
  /** Prices above 200,000 input tokens. */
  readonly contextOver200k?: ModelRates
}

/** Finds a model's prices; null when they are not known. */
export type PricingLookup = (providerID: string, modelID: string) => ModelPricing | null | undefined

/** Token counts, each zero or more. */
export interface TokenTotals {
  input: number
  output: number
  reasoning: number
  cacheRead: number
  cacheWrite: number
}

const LONG_CONTEXT_TOKENS = 200_000
const MILLION = 1_000_000

/** Reads token counts; a count that is missing, negative or not finite is zero. */
export function readTokens(tokens: unknown): TokenTotals {
  const { input, output, reasoning, cache } = toRecord(tokens)
  const { read, write } = toRecord(cache)
  return {
    input: toAmount(input),
    output: toAmount(output),
    reasoning: toAmount(reasoning),
    cacheRead: toAmount(read),
    cacheWrite: toAmount(write),
  }
}

export function hasTokens({ input, output, reasoning, cacheRead, cacheWrite }: TokenTotals): boolean {
  return input + output + reasoning + cacheRead + cacheWrite > 0
}

/** What the tokens cost in USD. The tier with the highest threshold that the input exceeds sets the prices. */
export function priceTokens(tokens: TokenTotals, pricing: ModelPricing): number {
  const rates = chooseRates(tokens.input, pricing)
  const inputRate = toAmount(rates.inputPer1M ?? pricing.inputPer1M)
  const outputRate = toAmount(rates.outputPer1M ?? pricing.outputPer1M)
  const readRate = readFinite(rates.cacheReadPer1M) ?? inputRate
  const writeRate = readFinite(rates.cacheWritePer1M) ?? inputRate
  const fresh = Math.max(0, tokens.input - tokens.cacheRead - tokens.cacheWrite)
  const written = (tokens.output + tokens.reasoning) * outputRate
  return (fresh * inputRate + written + tokens.cacheRead * readRate + tokens.cacheWrite * writeRate) / MILLION
}

function chooseRates(inputTokens: number, pricing: ModelPricing): ModelRates {
  let chosen: ModelRates = pricing
  let threshold = -1
  const long = pricing.contextOver200k
  const tiers = long ? [...listOf(pricing.tiers), { ...long, contextThreshold: LONG_CONTEXT_TOKENS }] : pricing.tiers
  for (const tier of listOf(tiers)) {
    const limit = readFinite(tier?.contextThreshold)
    if (limit === undefined || inputTokens <= limit || limit <= threshold) continue
    chosen = tier
    threshold = limit
  }
  return chosen
}
