import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatCost, formatTokens } from './format-cost.ts'
import type { ModelPricing } from './price-tokens.ts'
import { COST_MARKUP, getSessionCost, getTurnCost } from './sum-cost.ts'

const message = (info: Record<string, unknown>, parts: { type: string; [field: string]: unknown }[] = []) => ({
  info: { id: 'm', role: 'assistant', providerID: 'acme', modelID: 'one', ...info },
  parts,
})
const step = (cost: unknown, tokens?: unknown) => ({ type: 'step-finish', cost, tokens })
const usage = (input: number, output = 0, read = 0, write = 0, reasoning = 0) => ({
  input,
  output,
  reasoning,
  cache: { read, write },
})
const turnOf = (owner: ReturnType<typeof message>, ...steps: { type: string; [field: string]: unknown }[]) =>
  steps.map((part) => ({ part, message: owner }))
const rates = (pricing: ModelPricing) => () => pricing
const MILLION = 1_000_000

describe('cost of a turn', () => {
  test('the markup is 1.2', () => {
    expect(COST_MARKUP).toBe(1.2)
    expect(getTurnCost(turnOf(message({}), step(0.5)))?.cost).toBeCloseTo(0.6, 12)
  })
  test.each<[string, unknown, ModelPricing, number]>([
    ['estimate', usage(MILLION, 100_000), { inputPer1M: 3, outputPer1M: 15 }, 5.4],
    ['cache read', usage(MILLION, 0, 800_000), { inputPer1M: 3, outputPer1M: 0, cacheReadPer1M: 0.3 }, 1.008],
    ['cache without a price', usage(MILLION, 0, 800_000), { inputPer1M: 3, outputPer1M: 0 }, 3.6],
    ['free cache', usage(MILLION, 0, 800_000), { inputPer1M: 3, outputPer1M: 0, cacheReadPer1M: 0 }, 0.72],
    ['cache write', usage(MILLION, 0, 0, MILLION), { inputPer1M: 3, outputPer1M: 0, cacheWritePer1M: 5 }, 6],
    ['more cache than input', usage(10, 0, MILLION), { inputPer1M: 3, outputPer1M: 0, cacheReadPer1M: 1 }, 1.2],
    ['reasoning counts as output', usage(0, 0, 0, 0, MILLION), { inputPer1M: 1, outputPer1M: 2 }, 2.4],
    [
      'highest tier exceeded',
      usage(300_000),
      {
        inputPer1M: 1,
        outputPer1M: 1,
        tiers: [
          { contextThreshold: 250_000, inputPer1M: 10, outputPer1M: 1 },
          { contextThreshold: 100_000, inputPer1M: 5, outputPer1M: 1 },
          { contextThreshold: 300_000, inputPer1M: 99, outputPer1M: 1 },
        ],
      },
      3.6,
    ],
    [
      'over 200k',
      usage(200_001),
      { inputPer1M: 1, outputPer1M: 1, contextOver200k: { inputPer1M: 2, outputPer1M: 2 } },
      0.4800024,
    ],
    [
      'exactly 200k',
      usage(200_000),
      { inputPer1M: 1, outputPer1M: 1, contextOver200k: { inputPer1M: 2, outputPer1M: 2 } },
      0.24,
    ],
  ])('%s', (_name, tokens, pricing, billed) => {
    expect(getTurnCost(turnOf(message({}), step(0, tokens)), rates(pricing))?.cost).toBeCloseTo(billed, 9)
  })
  test('a reported cost wins over the estimate', () => {
    const cost = getTurnCost(turnOf(message({}), step(1, usage(MILLION))), rates({ inputPer1M: 9, outputPer1M: 9 }))
    expect(cost?.cost).toBeCloseTo(1.2, 12)
  })
  test('without prices the tokens stay', () => {
    const expected = { cost: 0, tokens: { input: 5, output: 1, reasoning: 4, cacheRead: 2, cacheWrite: 3 } }
    expect(getTurnCost(turnOf(message({}), step(0, usage(5, 1, 2, 3, 4))))).toEqual(expected)
    expect(getTurnCost(turnOf(message({}), step(0, usage(5, 1, 2, 3, 4))), () => null)).toEqual(expected)
  })
  test.each([
    [{ providerID: 'codex' }, 0],
    [{ providerID: 'openai-codex' }, 0],
    [{ providerID: 'svc', modelID: 'codex/gpt' }, 0],
    [{ providerID: 'svc', modelID: 'gpt-codex' }, 0.6],
    [{ providerID: 'openai', modelID: 'gpt-5-codex' }, 0.6],
  ])('%j bills %s', (info, billed) => {
    const cost = getTurnCost(turnOf(message(info), step(0.5, usage(7))))
    expect(cost?.cost).toBeCloseTo(billed, 12)
    expect(cost?.tokens.input).toBe(7)
  })
  test('without finished steps the messages’ own tokens are used, each message once', () => {
    const owner = message({ tokens: usage(MILLION) })
    const parts = turnOf(owner, { type: 'text' }, { type: 'tool' })
    expect(getTurnCost(parts, rates({ inputPer1M: 1, outputPer1M: 1 }))?.cost).toBeCloseTo(1.2, 12)
    expect(getTurnCost(parts)).toBeUndefined()
    const subscribed = message({ providerID: 'codex', tokens: usage(9) })
    expect(getTurnCost(turnOf(subscribed, { type: 'text' }))).toMatchObject({ cost: 0, tokens: { input: 9 } })
  })
  test('nothing used is undefined', () => {
    expect(getTurnCost([])).toBeUndefined()
  })
  test('negative and infinite numbers count as nothing', () => {
    const wild = { input: -5, output: Number.NaN, reasoning: '7', cache: { read: Number.POSITIVE_INFINITY } }
    expect(getTurnCost(turnOf(message({}), step(-1, wild)))).toEqual({
      cost: 0,
      tokens: { input: 0, output: 0, reasoning: 0, cacheRead: 0, cacheWrite: 0 },
    })
  })
})

test('a session costs its steps, or the estimate of an answer without any; prompts are free', () => {
  const lookup = rates({ inputPer1M: 1, outputPer1M: 1 })
  const session = [
    message({ role: 'user' }, [step(9)]),
    message({ tokens: usage(MILLION) }, [step(1), step(2)]),
    message({ tokens: usage(MILLION) }, [{ type: 'text' }]),
    message({ providerID: 'codex', tokens: usage(MILLION) }),
  ]
  expect(getSessionCost(session, lookup)).toBeCloseTo(4.8, 12)
  expect(getSessionCost([])).toBe(0)
})

test('the cost of a session is the sum of the costs of its turns', () => {
  const steps = fc.array(fc.double({ min: 0, max: 10, noNaN: true }), { minLength: 1, maxLength: 5 })
  fc.assert(
    fc.property(fc.array(steps, { maxLength: 5 }), (turns) => {
      const messages = turns.map((costs) =>
        message(
          {},
          costs.map((cost) => step(cost)),
        ),
      )
      const sum = messages.reduce((total, owner) => total + (getTurnCost(turnOf(owner, ...owner.parts))?.cost ?? 0), 0)
      expect(getSessionCost(messages)).toBeCloseTo(sum, 8)
    }),
  )
})

test.each([
  [0, '$0.00'],
  [0.00032, '$0.0003'],
  [0.0032, '$0.003'],
  [0.0099, '$0.010'],
  [0.01, '$0.01'],
  [2.5, '$2.50'],
  [-2.5, '-$2.50'],
  [Number.NaN, '$0.00'],
  [Number.POSITIVE_INFINITY, '$0.00'],
])('formatCost(%s) is %s', (cost, text) => {
  expect(formatCost(cost)).toBe(text)
})

test.each([
  [0, '0'],
  [999, '999'],
  [1000, '1.0k'],
  [1234, '1.2k'],
  [9999, '10.0k'],
  [10_000, '10k'],
  [12_345, '12k'],
  [1_500_000, '1500k'],
  [Number.NaN, '0'],
])('formatTokens(%s) is %s', (count, text) => {
  expect(formatTokens(count)).toBe(text)
})
