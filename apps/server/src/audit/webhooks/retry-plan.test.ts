import { expect, test } from 'vitest'
import { asksToSlowDown, maxAttempts, planSlowMs, planWaitMs, readRetryAfterMs, waitsMs } from './retry-plan.ts'

const second = 1_000
const hour = 3_600_000

test('ten attempts, waiting 0 s, 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h, 24 h', () => {
  expect(waitsMs.map((ms) => ms / second)).toEqual([0, 5, 300, 1800, 7200, 18000, 36000, 50400, 72000, 86400])
  expect(maxAttempts).toBe(10)
})

test('every wait lies within a fifth of the plan, at both ends of chance, and none follows the last attempt', () => {
  for (const [attempts, waitMs] of waitsMs.entries()) {
    expect(planWaitMs(attempts, 0, () => 0)).toBe(Math.round(waitMs * 0.8))
    expect(planWaitMs(attempts, 0, () => 0.5)).toBe(waitMs)
    expect(planWaitMs(attempts, 0, () => 1)).toBe(Math.round(waitMs * 1.2))
  }
  expect(planWaitMs(10, 0, () => 0)).toBeUndefined()
})

test('Retry-After makes a wait longer, never shorter, and at most a day', () => {
  expect(planWaitMs(1, 60 * second, () => 0.5)).toBe(60 * second)
  expect(planWaitMs(2, 60 * second, () => 0.5)).toBe(300 * second)
  expect(planWaitMs(1, 900 * hour, () => 0.5)).toBe(24 * hour)
})

test('Retry-After is read as seconds or as a date; anything else is nothing', () => {
  const nowMs = Date.UTC(2026, 0, 1)
  expect(readRetryAfterMs('120', nowMs)).toBe(120 * second)
  expect(readRetryAfterMs(new Date(nowMs + hour).toUTCString(), nowMs)).toBe(hour)
  for (const nonsense of [undefined, '', 'soon', '-5', new Date(nowMs - hour).toUTCString()]) {
    expect(readRetryAfterMs(nonsense, nowMs)).toBe(0)
  }
})

test('a receiver under load is left alone for a minute, then twice as long each time, at most an hour', () => {
  expect([429, 502, 504, 500, 503, 200, undefined].map(asksToSlowDown)).toEqual([
    true,
    true,
    true,
    false,
    false,
    false,
    false,
  ])
  expect([0, 1, 2, 3, 30].map((level) => planSlowMs(level, 0) / second)).toEqual([60, 120, 240, 480, 3600])
  expect(planSlowMs(0, 600 * second)).toBe(600 * second)
})
