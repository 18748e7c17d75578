/** Dollars for a million tokens. */
export interface Rates {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
}

/** What a model costs. A tier's rates hold for the whole call once its prompt is longer than `aboveTokens`. */
export interface Price extends Rates {
  readonly tiers: readonly (Rates & { readonly aboveTokens: number })[]
  /** Where the numbers come from; kept with each call. */
  readonly version: string
}

/** What a provider says a call used. Input includes cached and cache-write tokens; reasoning is inside output. */
export interface Usage {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cachedTokens: number
  readonly cacheWriteTokens: number
  /** Dollars, where the provider names what it charges. */
  readonly reportedCost?: number | undefined
}

export const noUsage: Usage = { inputTokens: 0, outputTokens: 0, cachedTokens: 0, cacheWriteTokens: 0 }

export interface GivenRates {
  readonly input?: number | undefined
  readonly output?: number | undefined
  readonly cache_read?: number | undefined
  readonly cache_write?: number | undefined
}

/** Rates with what is usual in place of what is not told: cached 0.1, cache write 1.25 of the input. */
export function fillRates(given: GivenRates): Rates {
  const input = given.input ?? 0
  return {
    input,
    output: given.output ?? 0,
    cacheRead: given.cache_read ?? input * 0.1,
    cacheWrite: given.cache_write ?? input * 1.25,
  }
}

/**
 * Micro-dollars, rounded up: a dollar for a million tokens is a micro-dollar for one, so no division is needed and a
 * call with a price never costs nothing.
 */
export function priceUsage(price: Price | undefined, usage: Usage): number {
  if (usage.reportedCost !== undefined) return roundUp(usage.reportedCost * 1e6)
  if (price === undefined) return 0
  const rates = ratesFor(price, usage.inputTokens)
  const plain = Math.max(0, usage.inputTokens - usage.cachedTokens - usage.cacheWriteTokens)
  return roundUp(
    plain * rates.input +
      usage.cachedTokens * rates.cacheRead +
      usage.cacheWriteTokens * rates.cacheWrite +
      usage.outputTokens * rates.output,
  )
}

/** The most a call can cost: whichever way its prompt is counted, and whichever tier it falls into. */
export function priceWorstCase(price: Price, promptTokens: number, outputTokens: number): number {
  const { input, output } = worstRates(price, promptTokens)
  return roundUp(promptTokens * input + outputTokens * output)
}

/** How much output a sum pays for after the prompt; negative when it does not even pay for that. */
export function affordableOutput(price: Price, promptTokens: number, micros: number): number {
  const { input, output } = worstRates(price, promptTokens)
  const rest = micros - promptTokens * input
  if (output === 0) return rest < 0 ? -1 : Number.MAX_SAFE_INTEGER
  return Math.floor(rest / output)
}

function worstRates(price: Price, promptTokens: number): { input: number; output: number } {
  const reached = [price, ...price.tiers.filter(({ aboveTokens }) => promptTokens > aboveTokens)]
  return {
    input: Math.max(...reached.map(({ input, cacheRead, cacheWrite }) => Math.max(input, cacheRead, cacheWrite))),
    output: Math.max(...reached.map(({ output }) => output)),
  }
}

function ratesFor(price: Price, inputTokens: number): Rates {
  return price.tiers.reduce<Rates & { aboveTokens: number }>(
    (best, tier) => (inputTokens > tier.aboveTokens && tier.aboveTokens >= best.aboveTokens ? tier : best),
    { ...price, aboveTokens: -1 },
  )
}

/** Sums of decimal fractions come out a hair too high; that hair is no micro-dollar. */
function roundUp(micros: number): number {
  return Math.ceil(micros - 1e-6)
}

export function addMarkup(micros: number, factor: number): number {
  return roundUp(micros * factor)
}
