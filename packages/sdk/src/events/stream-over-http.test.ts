import { createServer, type Server } from 'node:http'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSSEStream } from './create-sse-stream.ts'
import { openEventStream } from './open-event-stream.ts'

const TOTAL = 400
const ROUNDS = process.env.SVC_TEST_LONG === '1' ? 30 : 3
const SEED = Number(process.env.SVC_TEST_SEED ?? Date.now() % 2 ** 31)
/** Real waits for connect and heartbeat; every other wait is cut short. */
const LIMITS = [20_000, 45_000]
let server: Server
let baseUrl: string
let random: () => number

/** A log of numbered events, served in ragged pieces and cut off at a random byte again and again. */
beforeAll(async () => {
  const sample = fc.sample(fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), {
    numRuns: 10_000,
    seed: SEED,
  })
  let at = 0
  random = () => sample[at++ % sample.length] ?? 0
  server = createServer((request, response) => {
    if (request.url === '/plain') {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(`event: hi\ndata: ${request.method} ${request.headers.authorization}\n\n`)
      return
    }
    if (request.url === '/refused') {
      response.writeHead(403).end()
      return
    }
    const after = Number(request.headers['last-event-id'] ?? 0)
    const frames = Array.from({ length: TOTAL - after }, (_, index) => {
      const seq = after + index + 1
      return `id: ${seq}\ndata: {"seq":${seq},"type":"tick","properties":{"text":"ü😀${seq}"}}\n\n`
    })
    const bytes = Buffer.from(frames.join(''))
    const cut = random() < 0.9 ? Math.floor(random() * Math.min(bytes.length, 3000)) : bytes.length
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    let sent = 0
    while (sent < cut) {
      const size = 1 + Math.floor(random() * 200)
      response.write(bytes.subarray(sent, Math.min(cut, sent + size)))
      sent += size
    }
    if (cut < bytes.length) response.write('', () => setTimeout(() => response.destroy(), 5))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  baseUrl = typeof address === 'object' && address ? `http://127.0.0.1:${address.port}` : ''
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

test(`every event arrives once and in order over connections cut at random (seed ${SEED})`, {
  timeout: 300_000,
}, async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const seen: unknown[] = []
    const client = {
      numbered: true,
      connectEvents: ({ lastEventId, signal }: { lastEventId: string | undefined; signal: AbortSignal }) =>
        fetch(`${baseUrl}/events`, {
          signal,
          headers: lastEventId === undefined ? {} : { 'last-event-id': lastEventId },
        }),
    }
    await new Promise<void>((resolve, reject) => {
      const stream = openEventStream({
        client,
        maxConsecutiveHardFailures: 1000,
        timers: {
          now: () => Date.now(),
          schedule: (callback, delayMs) => {
            const timer = setTimeout(callback, LIMITS.includes(delayMs) ? delayMs : 1)
            return () => clearTimeout(timer)
          },
        },
        onParked: ({ lastError }) => reject(lastError),
        onEvent: (event) => {
          seen.push(event.properties.text)
          if (seen.length < TOTAL) return
          stream.close()
          resolve()
        },
      })
    })
    expect(seen).toEqual(Array.from({ length: TOTAL }, (_, index) => `ü😀${index + 1}`))
  }
})

test('the plain reader sends its credential and body and reports an event by name', async () => {
  const seen: string[] = []
  const stream = createSSEStream({
    url: `${baseUrl}/plain`,
    token: 't',
    body: { a: 1 },
    onOpen: () => seen.push('open'),
  })
  stream.addEventListener('hi', ({ data }) => seen.push(data))
  stream.addEventListener('message', () => seen.push('never'))
  await stream.connect()
  expect(seen).toEqual(['open', 'POST Bearer t'])
})

test('the plain reader reports a refusal', async () => {
  const errors: unknown[] = []
  await createSSEStream({ url: `${baseUrl}/refused`, token: null, onError: (error) => errors.push(error) }).connect()
  expect(errors).toMatchObject([{ name: 'ApiError', status: 403 }])
})
