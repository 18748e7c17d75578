import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { readEventStream } from './read-event-stream.ts'
import type { RuntimeEvent } from './runtime.ts'

/** Captured from a real run of opencode; the client library reads the same file. */
const captured = readFileSync(
  fileURLToPath(new URL('../../../../packages/sdk/fixtures/runtime-events.txt', import.meta.url)),
)

async function read(pieces: Iterable<Uint8Array>): Promise<RuntimeEvent[]> {
  const events: RuntimeEvent[] = []
  const body = (async function* () {
    yield* pieces
  })()
  for await (const event of readEventStream(body)) events.push(event)
  return events
}

function* cut(bytes: Uint8Array, sizes: () => number) {
  for (let at = 0; at < bytes.length; ) {
    const size = sizes()
    yield bytes.subarray(at, at + size)
    at += size
  }
}

test('a captured run gives every event of the contract, in order, and nothing of the runtime’s insides', async () => {
  const events = await read([captured])
  const all = captured
    .toString('utf8')
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line): { type: string } => JSON.parse(line.slice(6)))
  const inside = /^(plugin|catalog|integration|reference|server\.heartbeat)/
  expect(events.map(({ type }) => type)).toEqual(all.map(({ type }) => type).filter((type) => !inside.test(type)))
  expect(events.length).toBeGreaterThan(1_000)
})

test('the first word of a stream is passed on at once, so that its reader need not wait for something to happen', async () => {
  const body = (async function* () {
    yield Buffer.from('data: {"type":"server.connected","properties":{}}\n\n')
    await new Promise(() => undefined)
  })()
  const first = await readEventStream(body)[Symbol.asyncIterator]().next()
  expect(first.value).toEqual({ type: 'server.connected', properties: {} })
})

test('however the bytes are cut, the events are the same', async () => {
  const seed = Number(process.env.SVC_TEST_SEED ?? 7)
  let state = seed
  const next = () => {
    state = (state * 48_271) % 2_147_483_647
    return 1 + (state % 4_096)
  }
  const part = captured.subarray(0, 60_000)
  expect(await read(cut(part, next)), `seed ${seed}`).toEqual(await read([part]))
  expect(await read(cut(part.subarray(0, 6_000), () => 1))).toEqual(await read([part.subarray(0, 6_000)]))
})

test('letters of several bytes, other line ends, comments and wrapped events are read', async () => {
  const text = ': hello\r\n\r\ndata: {"payload":{"type":"session.idle","properties":{"sessionID":"größe ☕"}}}\r\n\r\n'
  const events = await read(cut(Buffer.from(text), () => 1))
  expect(events).toEqual([{ type: 'session.idle', properties: { sessionID: 'größe ☕' } }])
})

test('a stream that breaks off in the middle of an event gives the events before it', async () => {
  const text = 'data: {"type":"session.idle","properties":{}}\n\ndata: {"type":"session.id'
  expect(await read([Buffer.from(text)])).toHaveLength(1)
})
