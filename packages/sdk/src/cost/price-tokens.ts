import { readFinite, toAmount, toList, toRecord } from '../wire/read-value.ts'

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

const COUNTS = ['input', 'output', 'reasoning', 'cacheRead', 'cacheWrite'] as const
const LONG_CONTEXT_TOKENS = 200_000
const MILLION = 1_000_000

/** Reads token counts; a count that is missing, negative or not finite is zero. */
export function readTokens(tokens: unknown): TokenTotals {
  const counts = toRecord(tokens)
  const cache = toRecord(counts.cache)
  return {
    input: toAmount(counts.input),
    output: toAmount(counts.output),
    reasoning: toAmount(counts.reasoning),
    cacheRead: toAmount(cache.read),
    cacheWrite: toAmount(cache.write),
  }
}

/** Adds counts to a sum. */
export function addTokens(sum: TokenTotals, more: TokenTotals): void {
  for (const name of COUNTS) sum[name] += more[name]
}

/** What the tokens cost in USD. The tier with the highest threshold that the input exceeds sets the prices. */
export function priceTokens(
  { input, output, reasoning, cacheRead, cacheWrite }: TokenTotals,
  pricing: ModelPricing,
): number {
  const rates = chooseRates(input, pricing)
  const inputRate = toAmount(rates.inputPer1M ?? pricing.inputPer1M)
  const outputRate = toAmount(rates.outputPer1M ?? pricing.outputPer1M)
  return (
    (Math.max(0, input - cacheRead - cacheWrite) * inputRate +
      (output + reasoning) * outputRate +
      cacheRead * (readFinite(rates.cacheReadPer1M) ?? inputRate) +
      cacheWrite * (readFinite(rates.cacheWritePer1M) ?? inputRate)) /
    MILLION
  )
}

function chooseRates(inputTokens: number, pricing: ModelPricing): ModelRates {
  const { tiers, contextOver200k: long } = pricing
  const limitOf = (tier: ModelRateTier): number => readFinite(tier?.contextThreshold) ?? Infinity
  const [chosen = pricing] = [...toList(tiers), ...(long ? [{ ...long, contextThreshold: LONG_CONTEXT_TOKENS }] : [])]
    .filter((tier) => inputTokens > limitOf(tier))
    .sort((a, b) => limitOf(b) - limitOf(a))
  return chosen
}
