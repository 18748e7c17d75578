import { unrestrictedAgent } from '@svc/manifest'
import { describe, expect, test } from 'vitest'
import { mayRun } from './boot-session.ts'
import { grantedIdentifiers } from './delivered-secrets.ts'
import { idleAfterTurn, idleAfterUse, idleDuringTurn } from './idle-times.ts'
import { describeCapabilities } from './plan-boot.ts'
import { createTurnstile } from './turnstile.ts'

const now = new Date('2026-01-01T00:00:00Z')
const minutes = (from: Date, to: Date) => (to.getTime() - from.getTime()) / 60_000

describe('when a machine is parked', () => {
  test('15 minutes after a turn, 2 for a session that a session started, 4 hours during one', () => {
    expect(minutes(now, idleAfterTurn(now, false))).toBe(15)
    expect(minutes(now, idleAfterTurn(now, true))).toBe(2)
    expect(minutes(now, idleDuringTurn(now))).toBe(240)
  })

  test('previews keep it up for 30 minutes at a time, and for a day after the last turn at most', () => {
    expect(minutes(now, idleAfterUse(now, now, null))).toBe(30)
    const lastTurn = new Date(now.getTime() - 23.9 * 3_600_000)
    expect(minutes(now, idleAfterUse(now, lastTurn, null))).toBeCloseTo(6)
    const older = new Date(now.getTime() - 30 * 3_600_000)
    expect(minutes(now, idleAfterUse(now, older, null))).toBeLessThan(0)
  })
})

test('a boot begins with a machine that does not run: one that may have come up unseen has an older token', () => {
  const running = (['provisioning', 'active', 'error', 'stopped', 'archived'] as const).filter((status) =>
    mayRun({ status }),
  )
  expect(running).toEqual(['provisioning', 'active', 'error'])
})

describe('which secrets a session may use', () => {
  const agent = { ...unrestrictedAgent({}, 'svc'), secrets: ['a', 'b'] }
  test.each([
    ['the agent’s grant', agent, null, ['a', 'b']],
    ['narrowed by the session’s list', agent, ['b', 'c'], ['b']],
    ['none of them', agent, [], []],
    ['everything', { ...agent, secrets: 'all' as const }, null, 'all'],
    ['of everything, the list', { ...agent, secrets: 'all' as const }, ['c'], ['c']],
    ['nothing, whatever the list says', { ...agent, secrets: 'none' as const }, ['a'], []],
  ])('%s', (_what, granted, list, expected) => expect(grantedIdentifiers(granted, list)).toEqual(expected))
})

test('what the agent is told about its secrets fits into a variable, and says when it was cut', () => {
  const capabilities = Array.from({ length: 2000 }, (_, index) => ({
    identifier: `secret-${index}`,
    delivery: 'sandbox',
  }))
  const text = describeCapabilities({ env: {}, capabilities })
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(48 * 1024)
  expect(JSON.parse(text)).toMatchObject({ version: 1, truncated: true, total: 2000 })
  expect(JSON.parse(describeCapabilities({ env: {}, capabilities: [] }))).toEqual({ version: 1, capabilities: [] })
})

test('boots wait for each other in the order they came, and one that fails lets the next one in', async () => {
  const turnstile = createTurnstile(2)
  const order: number[] = []
  let inside = 0
  const enter = (number: number) =>
    turnstile.run(async () => {
      inside += 1
      expect(inside).toBeLessThanOrEqual(2)
      order.push(number)
      await new Promise((resolve) => setImmediate(resolve))
      inside -= 1
      if (number === 1) throw new Error('it did not start')
    })
  const results = await Promise.allSettled([0, 1, 2, 3, 4].map(enter))
  expect(order).toEqual([0, 1, 2, 3, 4])
  expect(results.map(({ status }) => status).filter((status) => status === 'rejected')).toHaveLength(1)
})
