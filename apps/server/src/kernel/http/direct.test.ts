import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { operation, relayed } from '@svc/contract'
import { afterEach, expect, test } from 'vitest'
import { handle } from './handle.ts'
import { problem } from './problem.ts'
import { serveForTest } from './testing.ts'

type Server = Awaited<ReturnType<typeof serveForTest>>
let server: Server | undefined
afterEach(async () => {
  await server?.stop()
  server = undefined
})

const base = { summary: 'For a test', audit: 'none' as const, returns: relayed }
const open = operation({ ...base, id: 'test.open', at: 'POST /v1/open', needs: 'public', errors: ['not_found'] })
const closed = operation({ ...base, id: 'test.closed', at: 'POST /v1/closed', needs: 'signed-in' })

/** What became, in order, of a request whose body was left off in the middle. */
let steps: string[] = []

const handlers = [
  handle(open, async ({ request: { incoming }, outgoing }) => {
    if (incoming.headers['x-refuse'] !== undefined) throw problem('not_found', { headers: { 'retry-after': '7' } })
    if (incoming.headers['x-leave-off'] !== undefined) {
      await new Promise((resolve) => incoming.once('data', resolve))
      incoming.pause().once('resume', () => steps.push('read on'))
      incoming.socket.once('close', () => steps.push('closed'))
    }
    outgoing.writeHead(200, { 'content-type': 'text/plain' }).end('sent')
    // Nobody who looks only now sees the answer end.
    if (incoming.headers['x-leave-off'] !== undefined) await once(outgoing, 'close')
    return undefined
  }),
  handle(closed, () => undefined),
]

interface Answered {
  readonly status: number | undefined
  readonly headers: Record<string, unknown>
  readonly body: string
}

function post(path: string, headers: Record<string, string>, body = ''): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const sent = request({ port: server?.port, method: 'POST', path, headers }, (response) => {
      let text = ''
      response.on('data', (piece) => {
        text += piece
      })
      response.on('end', () => {
        const { date, 'x-request-id': id, traceparent, ...rest } = response.headers
        expect([date, id, traceparent].map((value) => typeof value)).toHaveLength(3)
        resolve({ status: response.statusCode, headers: rest, body: text.replaceAll(String(id), '') })
      })
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

/** A query is all that sends a request through the router instead. */
const bothWays = async (path: string, headers: Record<string, string> = {}, body?: string) => [
  await post(path, headers, body),
  await post(`${path}?routed`, headers, body),
]

test('an operation that sends its own answers gives the same ones with and without the router', async () => {
  server = await serveForTest(handlers)
  const cases: (readonly [number, string, Record<string, string>, string?])[] = [
    [200, '/v1/open', {}, 'read by nobody'],
    [404, '/v1/open', { 'x-refuse': '1' }],
    [404, '/v1/open', { 'x-refuse': '1' }, 'x'.repeat(1024)],
    [401, '/v1/closed', {}, '{}'],
    [421, '/v1/open', { host: 'elsewhere.example' }],
    [400, '/v1/open', { host: 'not a host' }],
  ]
  for (const [status, path, headers, body] of cases) {
    const [direct, routed] = await bothWays(path, headers, body)
    expect(direct).toEqual(routed)
    expect(direct?.status).toBe(status)
  }
  const seen = server.finished.map((entry) => [entry.request.operation.id, entry.status])
  expect(seen.filter((_, at) => at % 2 === 0)).toEqual(seen.filter((_, at) => at % 2 === 1))
  expect(seen).toHaveLength(10)
})

test('the rest of a body is read away behind the answer, as far as it comes', async () => {
  server = await serveForTest(handlers)
  steps = []
  const socket = connect(server.port, '127.0.0.1')
  socket.on('error', () => undefined)
  // Never whole: what is thrown away is thrown away as it comes.
  socket.write('POST /v1/open HTTP/1.1\r\nhost: localhost\r\nx-leave-off: 1\r\ncontent-length: 900000\r\n\r\nbegun')
  await new Promise((resolve) => socket.once('data', resolve))
  // One that does not come to its end is not waited for.
  await expect.poll(() => steps).toEqual(['read on', 'closed'])
})
