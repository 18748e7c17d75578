import { expect, test } from 'vitest'
import { createFakeClock } from '../clock/index.ts'
import { createLogger, createMemoryWriter } from './index.ts'

const clock = createFakeClock(Date.UTC(2026, 4, 1, 12, 0, 0))

test('a line is one JSON object with time, level, message, bound fields and its own', () => {
  const writer = createMemoryWriter()
  createLogger({ writer, clock }).child({ node: 'a' }).child({ part: 'jobs' }).warn('slow', { ms: 12, level: 'mine' })
  expect(writer.lines.map((line) => JSON.parse(line))).toEqual([
    { time: '2026-05-01T12:00:00.000Z', level: 'warn', msg: 'slow', node: 'a', part: 'jobs', ms: 12, level_: 'mine' },
  ])
})

test('lines below the level are not written', () => {
  const writer = createMemoryWriter()
  const log = createLogger({ writer, level: 'warn' })
  log.debug('a')
  log.info('b')
  log.access({ requestId: 'r', method: 'GET', route: '/', status: 200, durationMs: 1 })
  log.warn('c')
  log.error('d')
  expect(writer.lines.length).toBe(2)
})

test('an error is written with its name, message, stack, code and causes', () => {
  const writer = createMemoryWriter()
  const error = Object.assign(new TypeError('no', { cause: new RangeError('why') }), { code: 'E_NO' })
  createLogger({ writer }).error('failed', { error })
  const line = JSON.parse(writer.lines[0] ?? '')
  expect(line.error).toMatchObject({ name: 'TypeError', message: 'no', code: 'E_NO', cause: { name: 'RangeError' } })
  expect(line.error.stack).toContain('logger.test.ts')
})

test('no value makes the logger throw or write an endless line', () => {
  const writer = createMemoryWriter()
  const log = createLogger({ writer })
  const cyclic: Record<string, unknown> = {}
  cyclic.self = cyclic
  const deep = Array.from({ length: 100 }).reduce<object>((inner) => ({ inner }), {})
  const angry = new Proxy(
    {},
    {
      ownKeys: () => {
        throw new Error('no')
      },
    },
  )
  const getter = {
    get bad() {
      throw new Error('no')
    },
    good: 1,
  }
  const values = [
    cyclic,
    deep,
    angry,
    getter,
    { big: 'x'.repeat(5_000_000) },
    { zero: '\0'.repeat(100_000) },
    new Date(Number.NaN),
    10n,
    Object.create(null),
    { f: () => 1 },
    new Uint8Array(9),
  ]
  for (const value of values) log.info('x', { value })
  log.info('many', { list: Array.from({ length: 10_000 }, (_, at) => ({ at, text: 'y'.repeat(1_000) })) })
  log.info('wide', Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`k${at}`, at])))
  expect(writer.lines.length).toBe(values.length + 2)
  for (const line of writer.lines) {
    expect(line.length).toBeLessThanOrEqual(32_768)
    expect(() => JSON.parse(line)).not.toThrow()
  }
  expect(JSON.parse(writer.lines[0] ?? '').value).toEqual({ self: '[circular]' })
  expect(JSON.parse(writer.lines[3] ?? '').value).toEqual({ bad: '[unreadable]', good: 1 })
})

test('an access line carries its fixed fields as JSON', () => {
  const writer = createMemoryWriter()
  createLogger({ writer, clock }).access({
    requestId: 'r1',
    method: 'GET',
    route: '/v1/"x"',
    status: 200,
    durationMs: 1.26,
    bytesOut: 5,
    actorId: 'u',
  })
  expect(JSON.parse(writer.lines[0] ?? '')).toEqual({
    time: '2026-05-01T12:00:00.000Z',
    level: 'info',
    msg: 'request',
    request_id: 'r1',
    method: 'GET',
    route: '/v1/"x"',
    status: 200,
    duration_ms: 1.3,
    bytes_out: 5,
    actor_id: 'u',
  })
})

test('a pretty line is short and cannot be forged by what it shows', () => {
  const writer = createMemoryWriter()
  createLogger({ writer, clock, format: 'pretty' }).info('hello\n12:00:00 ERROR forged\u001b[2J', { a: 'b c', n: 1 })
  expect(writer.lines).toEqual(['12:00:00.000 INFO  hello\\x0a12:00:00 ERROR forged\\x1b[2J a="b c" n=1'])
})
