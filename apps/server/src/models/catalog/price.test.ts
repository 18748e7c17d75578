import { expect, test } from 'vitest'
import { findListedPrice } from './listed-prices.ts'
import { addMarkup, affordableOutput, type Price, priceUsage, priceWorstCase } from './price.ts'

const rates = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 }
const high = { input: 6, output: 22.5, cacheRead: 0.6, cacheWrite: 7.5, aboveTokens: 1_000 }
const price: Price = { ...rates, tiers: [high], version: 'test' }
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
    expect(priceUsage(price, used)).toBeLessThanOrEqual(priceWorstCase(price, 2_000, 70))
  }
  const tokens = affordableOutput(price, 2_000, 20_000)
  expect(priceWorstCase(price, 2_000, tokens)).toBeLessThanOrEqual(20_000)
  expect(affordableOutput(price, 2_000, 10)).toBeLessThan(0)
})

test('the bundled data knows prices with their tiers', () => {
  expect(findListedPrice('anthropic', 'claude-sonnet-4-5', new Date('2026-01-01'))).toMatchObject({
    input: 3,
    output: 15,
    tiers: [{ aboveTokens: 200_000, input: 6 }],
  })
  expect(findListedPrice('openai', 'nobody-knows-it', new Date())).toBeUndefined()
})
