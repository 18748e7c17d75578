import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createSseParser, readSse, type SseFrame } from './parse-sse.ts'

function parse(...pieces: string[]): SseFrame[] {
  const frames: SseFrame[] = []
  const parser = createSseParser((frame) => frames.push(frame))
  for (const piece of pieces) parser.push(piece)
  return frames
}

describe('frames', () => {
  test.each([
    ['data: a\n\n', [{ data: 'a' }]],
    ['data:a\ndata: b\n\n', [{ data: 'a\nb' }]],
    ['id: 7\nevent: x\ndata: a\n\ndata: b\n\n', [{ data: 'a', id: '7', event: 'x' }, { data: 'b' }]],
    ['data: a\r\n\r\ndata: b\r\rdata: c\n\n', [{ data: 'a' }, { data: 'b' }, { data: 'c' }]],
    [': ping\n\ndata: a\n\n', [{ data: 'a' }]],
    ['data\n\n', [{ data: '' }]],
    ['data:  two spaces\n\n', [{ data: ' two spaces' }]],
    ['retry: 5\nnothing: x\n\n', []],
    ['id: a\0b\ndata: a\n\n', [{ data: 'a' }]],
    ['data: unfinished\n', []],
    ['data: unfinished', []],
  ])('%j', (text, expected) => {
    expect(parse(text)).toEqual(expected.map((frame) => ({ event: undefined, id: undefined, ...frame })))
  })

  test('a comment is reported', () => {
    let comments = 0
    createSseParser(
      () => undefined,
      () => comments++,
    ).push(': ping\n\n:\n')
    expect(comments).toBe(2)
  })

  test('an endless frame is refused', () => {
    const parser = createSseParser(() => undefined)
    const piece = 'a'.repeat(1024 * 1024)
    expect(() => {
      for (let at = 0; at < 40; at++) parser.push(piece)
    }).toThrow(RangeError)
  })
})

describe('cuts', () => {
  const wire = readFileSync(new URL('../../fixtures/runtime-events.txt', import.meta.url))
  const whole = parse(wire.toString('utf8'))

  test('the captured stream has its events', () => {
    expect(whole.length).toBe(1444)
    expect(whole.every(({ data }) => typeof JSON.parse(data).type === 'string')).toBe(true)
  })

  test('text cut anywhere gives the same frames', () => {
    const line = fc.constantFrom('data: a', 'data: ü😀', 'id: 1', ': c', '', 'event: e')
    const ending = fc.constantFrom('\n', '\r', '\r\n')
    const stream = fc.array(fc.tuple(line, ending), { maxLength: 20 }).map((rows) => rows.flat().join(''))
    fc.assert(
      fc.property(stream, fc.array(fc.nat({ max: 200 }), { maxLength: 20 }), (text, cuts) => {
        const places = [0, ...cuts.map((cut) => Math.min(cut, text.length)).sort((a, b) => a - b), text.length]
        const pieces = places.slice(1).map((end, at) => text.slice(places[at], end))
        expect(parse(...pieces)).toEqual(parse(text))
      }),
      { numRuns: 1000 },
    )
  })

  test.each([1, 2, 3, 7, 1000])('bytes in pieces of %s give the same frames, characters whole', async (size) => {
    // A byte order mark may stand before the first character.
    const text = `data: ${'ü😀€'.repeat(50)}\n\n`
    const bytes = Buffer.concat([Buffer.from('\ufeff'), Buffer.from(text), wire.subarray(0, 20_000)])
    const frames: SseFrame[] = []
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.subarray(at, at + size))
        controller.close()
      },
    })
    await readSse(
      body,
      createSseParser((frame) => frames.push(frame)),
      new AbortController().signal,
    )
    expect(frames).toEqual(parse(bytes.toString('utf8').slice(1)))
    expect(frames[0]?.data).toBe('ü😀€'.repeat(50))
  })
})

test('reading ends without an error when it is aborted', async () => {
  const stop = new AbortController()
  const body = new ReadableStream<Uint8Array>({ start: () => undefined })
  const reading = readSse(
    body,
    createSseParser(() => undefined),
    stop.signal,
  )
  stop.abort()
  await expect(reading).resolves.toBeUndefined()
})
