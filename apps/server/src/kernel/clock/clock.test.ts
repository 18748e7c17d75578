import { expect, test } from 'vitest'
import { createFakeClock, systemClock } from './index.ts'

test('a fake clock fires timers in order, each at its own time', async () => {
  const clock = createFakeClock(1_000)
  const seen: Array<[string, number]> = []
  clock.setTimer(300, () => seen.push(['late', clock.nowMs()]))
  clock.setTimer(100, () => {
    seen.push(['early', clock.nowMs()])
    clock.setTimer(50, () => seen.push(['nested', clock.nowMs()]))
  })
  clock.setTimer(100, () => seen.push(['tie', clock.nowMs()])).cancel()
  await clock.advance(299)
  expect(seen).toEqual([
    ['early', 1_100],
    ['nested', 1_150],
  ])
  await clock.advance(1)
  expect(seen.at(-1)).toEqual(['late', 1_300])
  expect(clock.pendingTimers()).toBe(0)
})

test('a sleep ends when its signal aborts and leaves no timer behind', async () => {
  const clock = createFakeClock()
  const abort = new AbortController()
  const slept = clock.sleep(1_000_000, abort.signal)
  abort.abort()
  await slept
  expect(clock.pendingTimers()).toBe(0)
})

test('a system timer beyond 24.8 days does not fire at once', async () => {
  let fired = false
  const timer = systemClock.setTimer(2 ** 31 + 5, () => {
    fired = true
  })
  await new Promise((resolve) => setTimeout(resolve, 20))
  timer.cancel()
  expect(fired).toBe(false)
})
