import { calcPrice, findProvider, type ModelInfo } from '@pydantic/genai-prices'
import { fillRates, type Price } from './price.ts'

/** The bundled price data. */
export const bundledVersion = 'genai-prices@0.1.8'
const nothingUsed = { input_tokens: 0, output_tokens: 0 }

const known = new Map<string, Price | undefined>()
const maxKnown = 5_000

/** What the bundled price data says a model costs on a day; undefined when it does not know the model. */
export function findListedPrice(providerId: string, modelId: string, at: Date): Price | undefined {
  const key = `${providerId} ${modelId} ${at.toISOString().slice(0, 10)}`
  if (known.has(key)) return known.get(key)
  if (known.size >= maxKnown) known.clear()
  const price = readPrice(providerId, modelId, at)
  known.set(key, price)
  return price
}

/** Matching a name against all the data takes a while, so what was found is kept for the day. */
function readPrice(providerId: string, modelId: string, at: Date): Price | undefined {
  const found = calcPrice(nothingUsed, modelId, { providerId, timestamp: at })
  if (!found || found.model_price.input_mtok === undefined) return undefined
  const price = found.model_price
  const starts = new Set(Object.values(price).flatMap(tierStarts))
  const ratesAbove = (tokens: number) =>
    fillRates({
      input: rateAbove(price.input_mtok, tokens),
      output: rateAbove(price.output_mtok, tokens),
      cache_read: rateAbove(price.cache_read_mtok, tokens),
      cache_write: rateAbove(price.cache_write_mtok, tokens),
      cache_write_hour: rateAbove(price.cache_write_1h_mtok, tokens),
      input_audio: rateAbove(price.input_audio_mtok, tokens),
      output_audio: rateAbove(price.output_audio_mtok, tokens),
      output_image: rateAbove(price.output_image_mtok, tokens),
    })
  return {
    ...ratesAbove(0),
    fees: { calls: rateAbove(price.requests_kcount, 0), webSearches: rateAbove(price.web_searches_kcount, 0) },
    tiers: [...starts].sort((a, b) => a - b).map((start) => ({ ...ratesAbove(start), aboveTokens: start })),
    version: bundledVersion,
  }
}

/** The models of a provider that the data knows by exact names and that are still offered. */
export function listPricedModels(providerId: string): readonly ModelInfo[] {
  const provider = findProvider({ providerId })
  return provider?.models.filter(({ deprecated }) => deprecated !== true) ?? []
}

const windows = new Map<string, number | undefined>()

export function readContextWindow(providerId: string, modelId: string): number | undefined {
  const key = `${providerId} ${modelId}`
  if (windows.has(key)) return windows.get(key)
  if (windows.size >= maxKnown) windows.clear()
  const tokens = calcPrice(nothingUsed, modelId, { providerId })?.model.context_window
  windows.set(key, tokens)
  return tokens
}

type Rate = ReturnType<typeof priceOf>
function priceOf(found: NonNullable<ReturnType<typeof calcPrice>>) {
  return found.model_price.input_mtok
}

function tierStarts(rate: Rate): number[] {
  return typeof rate === 'object' ? rate.tiers.map(({ start }) => start) : []
}

function rateAbove(rate: Rate, tokens: number): number | undefined {
  if (typeof rate !== 'object') return rate
  return rate.tiers.reduce((best, tier) => (tokens >= tier.start ? tier.price : best), rate.base)
}
