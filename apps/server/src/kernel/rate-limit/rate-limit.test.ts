import { afterAll, beforeAll, expect, test } from 'vitest'
import { createFakeClock } from '../clock/index.ts'
import type { Database } from '../database/index.ts'
import { createTestDatabase } from '../database/testing.ts'
import { bundleScript, startScript } from '../jobs/testing/run-script.ts'
import { cleanRateLimits, createRateLimits, type Take } from './index.ts'

let database: Database
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.close())

function isTakes(value: unknown): value is Array<Pick<Take, 'allowed' | 'remaining'>> {
  return Array.isArray(value)
}

test('four processes that call at once get exactly the limit between them, and each place once', async () => {
  const calls = process.env.SVC_TEST_LONG === '1' ? 2_000 : 200
  const limit = Math.floor((calls * 4) / 3) - 7
  const script = await bundleScript(new URL('./testing/hammer.ts', import.meta.url))
  const environment = { url: database.connectionString, calls: String(calls), limit: String(limit), windowMs: '600000' }
  const processes = Array.from({ length: 4 }, () => startScript(script, environment))
  for (const one of processes) expect(await one.nextMessage()).toBe('ready')
  for (const one of processes) one.child.send('go')
  const takes = await Promise.all(processes.map((one) => one.nextMessage()))
  await Promise.all(processes.map((one) => one.exited))
  const allowed = takes.flatMap((list) => (isTakes(list) ? list : [])).filter((take) => take.allowed)
  expect(allowed.length).toBe(limit)
  expect(allowed.map((take) => take.remaining).sort((a, b) => a - b)).toEqual(
    Array.from({ length: limit }, (_, at) => at),
  )
})

test('the 31st call in a minute is refused, and the first after it is allowed', async () => {
  const clock = createFakeClock()
  const limited = createRateLimits({ sql: database.sql, clock }).rateLimit({
    name: 'sign-in',
    limit: 30,
    windowMs: 60_000,
  })
  for (let call = 1; call <= 30; call++) {
    expect(await limited.take('1.2.3.4')).toMatchObject({ allowed: true, remaining: 30 - call, retryAfterSeconds: 0 })
    await clock.advance(1_000)
  }
  const resetAt = new Date(clock.nowMs() + 30_000)
  expect(await limited.take('1.2.3.4')).toEqual({ allowed: false, remaining: 0, resetAt, retryAfterSeconds: 30 })
  await clock.advance(29_999)
  expect(await limited.take('1.2.3.4')).toMatchObject({ allowed: false, retryAfterSeconds: 1 })
  await clock.advance(1)
  expect(await limited.take('1.2.3.4')).toMatchObject({ allowed: true, remaining: 29 })
})

test('keys and rules are counted apart', async () => {
  const limits = createRateLimits({ sql: database.sql })
  const [a, b] = [
    limits.rateLimit({ name: 'a', limit: 1, windowMs: 60_000 }),
    limits.rateLimit({ name: 'b', limit: 1, windowMs: 60_000 }),
  ]
  expect((await a.take('x')).allowed).toBe(true)
  expect((await a.take('x')).allowed).toBe(false)
  expect((await a.take('y')).allowed).toBe(true)
  expect((await b.take('x')).allowed).toBe(true)
  await a.reset('x')
  expect((await a.take('x')).allowed).toBe(true)
})

test('counted in blocks, a process gets exactly the limit, also of calls that come at once', async () => {
  const clock = createFakeClock()
  const rule = { name: 'blocks', limit: 40, windowMs: 60_000 }
  const limited = createRateLimits({ sql: database.sql, clock }).blockLimit(rule, 10)
  const takes = await Promise.all(Array.from({ length: 50 }, () => limited.take('a')))
  const allowed = takes.filter((take) => take.allowed)
  expect(allowed.map((take) => take.remaining).sort((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, at) => at))
  expect(takes.filter((take) => !take.allowed)[0]).toMatchObject({ remaining: 0, retryAfterSeconds: 60 })
  await clock.advance(59_999)
  expect(await limited.take('a')).toMatchObject({ allowed: false, retryAfterSeconds: 1 })
  await clock.advance(1)
  expect(await limited.take('a')).toMatchObject({ allowed: true, remaining: 39 })
  expect(await limited.take('b')).toMatchObject({ allowed: true, remaining: 39 })
})

test('counted in blocks, calls that were not made in their window are gone with it, and never more than the limit pass', async () => {
  const clock = createFakeClock()
  const rule = { name: 'block windows', limit: 20, windowMs: 1_000 }
  const [one, other] = [0, 1].map(() => createRateLimits({ sql: database.sql, clock }).blockLimit(rule, 10))
  expect(await one?.take('a')).toMatchObject({ allowed: true, remaining: 19 })
  await clock.advance(1_000)
  expect(await one?.take('a')).toMatchObject({ allowed: true, remaining: 19 })
  const takes = []
  for (let call = 0; call < 20; call += 1) takes.push(await other?.take('a'), await one?.take('a'))
  // Nineteen, for one was allowed before.
  expect(takes.filter((take) => take?.allowed)).toHaveLength(19)
  await one?.reset('a')
  expect(await one?.take('a')).toMatchObject({ allowed: true, remaining: 19 })
})

test('keys of any length and content are counted', async () => {
  const limited = createRateLimits({ sql: database.sql }).rateLimit({ name: 'long', limit: 1, windowMs: 60_000 })
  const keys = ['x'.repeat(100_000), `${'x'.repeat(100_000)}y`, 'zero\0byte', '', "'; drop table x; --"]
  for (const key of keys) expect((await limited.take(key)).allowed).toBe(true)
  for (const key of keys) expect((await limited.take(key)).allowed).toBe(false)
})

test('ended windows are cleaned, running ones stay', async () => {
  const clock = createFakeClock()
  const limited = createRateLimits({ sql: database.sql, clock }).rateLimit({ name: 'clean', limit: 1, windowMs: 1_000 })
  await limited.take('old')
  await clock.advance(1_500)
  await limited.take('new')
  await cleanRateLimits(database.sql, clock.now())
  const rows = await database.sql`select key from svc.rate_limits where name = 'clean'`
  expect(rows.map((row) => row.key)).toEqual(['new'])
})

test.each([0, -1, 1.5, Number.NaN, 2 ** 31])('a limit of %s is refused when the rule is made', (limit) => {
  expect(() => createRateLimits({ sql: database.sql }).rateLimit({ name: 'x', limit, windowMs: 1 })).toThrow(/positive/)
})

test.each([0, -1, 7, 40, Number.NaN])('a limit of 20 in blocks of %s is refused when the rule is made', (blockSize) => {
  const rule = { name: 'x', limit: 20, windowMs: 1 }
  expect(() => createRateLimits({ sql: database.sql }).blockLimit(rule, blockSize)).toThrow(/positive/)
})
