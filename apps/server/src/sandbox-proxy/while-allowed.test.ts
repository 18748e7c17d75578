import { expect, test } from 'vitest'
import { createFakeClock } from '../kernel/clock/index.ts'
import { problem } from '../kernel/http/index.ts'
import { whileAllowed } from './while-allowed.ts'

function begin(check: () => Promise<unknown>) {
  const clock = createFakeClock()
  let isCut = false
  let finish: (value: string) => void = () => undefined
  const work = new Promise<string>((resolve) => {
    finish = resolve
  })
  const socket = {
    destroy() {
      isCut = true
      return this as never
    },
  }
  const ended = whileAllowed({ clock, socket, check }, () => work)
  return { clock, ended, finish, isCut: () => isCut }
}

test('a connection is cut when its caller may no longer open the session', async () => {
  let refuses = false
  const running = begin(async () => {
    if (refuses) throw problem('not_found')
  })
  await running.clock.advance(60_000)
  expect(running.isCut()).toBe(false)
  refuses = true
  await running.clock.advance(10_000)
  expect(running.isCut()).toBe(true)
})

test('it stays while nobody can say, and nothing is asked after its end', async () => {
  let asked = 0
  const running = begin(async () => {
    asked += 1
    throw new Error('no database')
  })
  await running.clock.advance(20_000)
  expect(asked).toBeGreaterThan(1)
  expect(running.isCut()).toBe(false)
  running.finish('done')
  expect(await running.ended).toBe('done')
  expect(running.clock.pendingTimers()).toBe(0)
})
