/** Dollars for a million tokens. */
export interface Rates {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
  /** What stays in the cache for an hour. */
  readonly cacheWriteHour?: number | undefined
  /** Sound and pictures, where they have rates of their own. */
  readonly inputAudio?: number | undefined
  readonly outputAudio?: number | undefined
  readonly outputImage?: number | undefined
}

/** Dollars for a thousand, beside the tokens. */
export interface Fees {
  readonly calls?: number | undefined
  readonly webSearches?: number | undefined
}

/** What a model costs. A tier's rates hold for the whole call once its prompt is longer than `aboveTokens`. */
export interface Price extends Rates {
  readonly tiers: readonly (Rates & { readonly aboveTokens: number })[]
  readonly fees?: Fees | undefined
  /** Where the numbers come from; kept with each call. */
  readonly version: string
}

/** What a provider says a call used. Input includes cached and cache-write tokens; reasoning is inside output. */
export interface Usage {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cachedTokens: number
  readonly cacheWriteTokens: number
  /** Of those written, the ones that stay for an hour. */
  readonly cacheWriteHourTokens?: number | undefined
  readonly audioInputTokens?: number | undefined
  readonly audioOutputTokens?: number | undefined
  readonly imageOutputTokens?: number | undefined
  /** How often the provider searched the web for it. */
  readonly webSearches?: number | undefined
  /** Dollars, where the provider names what it charges. */
  readonly reportedCost?: number | undefined
}

export const noUsage: Usage = { inputTokens: 0, outputTokens: 0, cachedTokens: 0, cacheWriteTokens: 0 }

export interface GivenRates {
  readonly input?: number | undefined
  readonly output?: number | undefined
  readonly cache_read?: number | undefined
  readonly cache_write?: number | undefined
  readonly cache_write_hour?: number | undefined
  readonly input_audio?: number | undefined
  readonly output_audio?: number | undefined
  readonly output_image?: number | undefined
}

/** Rates with what is usual in place of what is not told: cached 0.1, cache write 1.25 of the input, for an hour 2. */
export function fillRates(given: GivenRates): Rates {
  const input = given.input ?? 0
  return {
    input,
    output: given.output ?? 0,
    cacheRead: given.cache_read ?? input * 0.1,
    cacheWrite: given.cache_write ?? input * 1.25,
    cacheWriteHour: given.cache_write_hour ?? Math.max(given.cache_write ?? 0, input * 2),
    inputAudio: given.input_audio,
    outputAudio: given.output_audio,
    outputImage: given.output_image,
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
  return roundUp(priceInput(rates, usage) + priceOutput(rates, usage) + priceFees(price, usage))
}

function priceInput(rates: Rates, usage: Usage): number {
  const { inputTokens, cachedTokens, cacheWriteTokens } = usage
  const fresh = Math.max(0, inputTokens - cachedTokens - cacheWriteTokens)
  const audio = Math.min(fresh, usage.audioInputTokens ?? 0)
  const forAnHour = Math.min(cacheWriteTokens, usage.cacheWriteHourTokens ?? 0)
  return (
    (fresh - audio) * rates.input +
    audio * (rates.inputAudio ?? rates.input) +
    cachedTokens * rates.cacheRead +
    (cacheWriteTokens - forAnHour) * rates.cacheWrite +
    forAnHour * (rates.cacheWriteHour ?? rates.cacheWrite)
  )
}

function priceOutput({ output, outputAudio, outputImage }: Rates, usage: Usage): number {
  const audio = Math.min(usage.outputTokens, usage.audioOutputTokens ?? 0)
  const images = Math.min(usage.outputTokens - audio, usage.imageOutputTokens ?? 0)
  const text = usage.outputTokens - audio - images
  return text * output + audio * (outputAudio ?? output) + images * (outputImage ?? output)
}

/** A dollar for a thousand is a thousand micro-dollars for one. A call that nothing was used for has no fee. */
function priceFees({ fees }: Price, usage: Usage): number {
  if (fees === undefined || usage.inputTokens + usage.outputTokens === 0) return 0
  return ((fees.calls ?? 0) + (fees.webSearches ?? 0) * (usage.webSearches ?? 0)) * 1_000
}

/** A prompt at its longest. */
export interface Prompt {
  readonly tokens: number
  /** Of more than text, or kept in a cache for longer: whichever rate is highest may be its rate. */
  readonly isDearer: boolean
}

/** The most a call can cost: whichever way its prompt is counted, and whichever tier it falls into. */
export function priceWorstCase(price: Price, prompt: Prompt, outputTokens: number): number {
  const { input, output } = worstRates(price, prompt)
  return roundUp(prompt.tokens * input + outputTokens * output + (price.fees?.calls ?? 0) * 1_000)
}

/** How much output a sum pays for after the prompt; negative when it does not even pay for that. */
export function affordableOutput(price: Price, prompt: Prompt, micros: number): number {
  const { input, output } = worstRates(price, prompt)
  const rest = micros - prompt.tokens * input - (price.fees?.calls ?? 0) * 1_000
  if (output === 0) return rest < 0 ? -1 : Number.MAX_SAFE_INTEGER
  return Math.floor(rest / output)
}

function worstRates(price: Price, { tokens, isDearer }: Prompt): { input: number; output: number } {
  const reached = [price, ...price.tiers.filter(({ aboveTokens }) => tokens > aboveTokens)]
  const usual = reached.flatMap(({ input, cacheRead, cacheWrite }) => [input, cacheRead, cacheWrite])
  const dearer = isDearer
    ? reached.flatMap(({ cacheWriteHour = 0, inputAudio = 0 }) => [cacheWriteHour, inputAudio])
    : []
  return {
    input: Math.max(...usual, ...dearer),
    output: Math.max(
      ...reached.flatMap(({ output, outputAudio = 0, outputImage = 0 }) => [output, outputAudio, outputImage]),
    ),
  }
}

function ratesFor(price: Price, inputTokens: number): Rates {
  let rates: Rates = price
  let above = -1
  for (const tier of price.tiers) {
    if (inputTokens <= tier.aboveTokens || tier.aboveTokens < above) continue
    rates = tier
    above = tier.aboveTokens
  }
  return rates
}

/** Sums of decimal fractions come out a hair too high; that hair is no micro-dollar. */
function roundUp(micros: number): number {
  return Math.ceil(micros - 1e-6)
}

export function addMarkup(micros: number, factor: number): number {
  return roundUp(micros * factor)
}
