import { expect, test } from 'vitest'
import { createFakeClock } from '../../kernel/clock/index.ts'
import { GatewayFailure } from './failure.ts'
import { createProviderHealth } from './provider-health.ts'

const down = new GatewayFailure({ status: 502, code: 'upstream_error', message: 'no', isTransient: true })
const wrong = new GatewayFailure({ status: 400, code: 'upstream_error', message: 'no' })
const first = { healthId: 'svc a', wireId: 'a/one' }
const second = { healthId: 'svc b', wireId: 'b/one' }
const chain = [first, second]

test('a provider that fails again and again goes last, is tried again after a rest, and is well after one answer', async () => {
  const clock = createFakeClock()
  const health = createProviderHealth(clock)
  for (let at = 0; at < 4; at++) health.failed(first, down)
  expect([health.stateOf(first), health.order(chain)]).toEqual(['degraded', chain])
  health.failed(first, down)
  expect([health.stateOf(first), health.order(chain)]).toEqual(['down', [second, first]])
  expect(health.listUnwell('svc')).toEqual([{ provider: 'a', state: 'down' }])
  await clock.advance(5_001)
  expect(health.order(chain)).toEqual(chain)
  health.failed(first, down)
  expect(health.order(chain)).toEqual([second, first])
  health.succeeded(first)
  expect([health.stateOf(first), health.order(chain)]).toEqual(['ok', chain])
})

test('a refused request says nothing of the provider, and one holder’s failures nothing of another’s', () => {
  const health = createProviderHealth(createFakeClock())
  for (let at = 0; at < 9; at++) health.failed(first, wrong)
  expect(health.stateOf(first)).toBe('ok')
  for (let at = 0; at < 9; at++) health.failed({ healthId: 'p1 a', wireId: 'a/one' }, down)
  expect(health.stateOf(first)).toBe('ok')
  expect(health.listUnwell('svc')).toEqual([])
})
