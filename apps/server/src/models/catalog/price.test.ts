import { expect, test } from 'vitest'
import { findListedPrice } from './listed-prices.ts'
import { addMarkup, affordableOutput, fillRates, noUsage, type Price, priceUsage, priceWorstCase } from './price.ts'

const rates = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 }
const high = { input: 6, output: 22.5, cacheRead: 0.6, cacheWrite: 7.5, aboveTokens: 1_000 }
const price: Price = { ...rates, tiers: [high], version: 'test' }
const prompt = { tokens: 2_000, isDearer: false }
const usage = { inputTokens: 1_000, outputTokens: 100, cachedTokens: 400, cacheWriteTokens: 100 }

test('plain, cached and written input and output each have their rate, and a long prompt the rates of its tier', () => {
  expect(priceUsage(price, usage)).toBe(500 * 3 + 400 * 0.3 + 100 * 3.75 + 100 * 15)
  expect(priceUsage(price, { ...usage, inputTokens: 1_001 })).toBe(Math.ceil(501 * 6 + 400 * 0.6 + 100 * 7.5 + 2_250))
})

test('what a provider says it charges counts, and a fraction of a micro-dollar is one', () => {
  expect(priceUsage(price, { ...usage, reportedCost: 0.0000001 })).toBe(1)
  expect(addMarkup(2_640, 1.2)).toBe(3_168)
})

test('the worst case is never below what a call can cost, and what is affordable never above what is left', () => {
  for (const cachedTokens of [0, 500, 2_000]) {
    const used = { inputTokens: 2_000, outputTokens: 70, cachedTokens, cacheWriteTokens: 2_000 - cachedTokens }
    expect(priceUsage(price, used)).toBeLessThanOrEqual(priceWorstCase(price, prompt, 70))
  }
  const tokens = affordableOutput(price, prompt, 20_000)
  expect(priceWorstCase(price, prompt, tokens)).toBeLessThanOrEqual(20_000)
  expect(affordableOutput(price, prompt, 10)).toBeLessThan(0)
})

test('sound, pictures, an hour in the cache and searches have rates of their own, and the worst case is above each', () => {
  const given = { input: 1, output: 10, cache_write: 1.25, input_audio: 7, output_audio: 20, output_image: 30 }
  const fees = { calls: 5, webSearches: 10 }
  const dear: Price = { ...fillRates(given), fees, tiers: [], version: 'test' }
  const spoken = { ...usage, cachedTokens: 0, audioInputTokens: 300, audioOutputTokens: 40, imageOutputTokens: 10 }
  const used = { ...spoken, cacheWriteTokens: 100, cacheWriteHourTokens: 60, webSearches: 2 }
  const input = 600 * 1 + 300 * 7 + 40 * 1.25 + 60 * 2
  expect(priceUsage(dear, used)).toBe(input + 50 * 10 + 40 * 20 + 10 * 30 + 5_000 + 2 * 10_000)
  expect(priceUsage(dear, { ...used, webSearches: 0 })).toBeLessThanOrEqual(
    priceWorstCase(dear, { tokens: 1_000, isDearer: true }, 100),
  )
  expect(priceUsage(dear, noUsage)).toBeCloseTo(0)
  expect(findListedPrice('anthropic', 'claude-sonnet-4-5', new Date('2026-01-01'))).toMatchObject({
    cacheWriteHour: 6,
    fees: { webSearches: 10 },
  })
})

test('the bundled data knows prices with their tiers', () => {
  expect(findListedPrice('anthropic', 'claude-sonnet-4-5', new Date('2026-01-01'))).toMatchObject({
    input: 3,
    output: 15,
    tiers: [{ aboveTokens: 200_000, input: 6 }],
  })
  expect(findListedPrice('openai', 'nobody-knows-it', new Date())).toBeUndefined()
})
