import { connect } from 'node:net'
import { operation } from '@svc/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { handle } from './handle.ts'
import { serveForTest } from './testing.ts'

const create = operation({
  id: 'things.create',
  at: 'POST /v1/things/:thingId',
  summary: 'Make a thing',
  needs: 'public',
  audit: 'none',
  query: z.object({ tag: z.array(z.string()).optional(), colour: z.string().optional() }),
  body: z.object({ name: z.string().min(1), count: z.number().int().max(10) }),
  returns: z.object({ name: z.string(), tag: z.array(z.string()), colour: z.string().nullable() }),
  maxBodyBytes: 2_000,
})

const choose = operation({
  id: 'things.choose',
  at: 'POST /v1/choose',
  summary: 'Choose, or take the default',
  needs: 'public',
  audit: 'none',
  body: z.object({ colour: z.enum(['red', 'blue']).default('red') }).prefault({}),
  returns: z.object({ colour: z.string() }),
})

const handlers = [
  handle(choose, ({ body }) => ({ colour: body.colour })),
  handle(create, ({ body, query }) => ({ name: body.name, tag: query.tag ?? [], colour: query.colour ?? null })),
]

let server: Awaited<ReturnType<typeof serveForTest>>
beforeAll(async () => {
  server = await serveForTest(handlers)
})
afterAll(() => server.stop())

const id = '0190a1b2-0000-7000-8000-000000000001'
const json = { 'content-type': 'application/json' }

function post(body: string | Buffer | undefined, headers: Record<string, string> = json, path = `/v1/things/${id}`) {
  return fetch(`${server.url}${path}`, { method: 'POST', headers, ...(body === undefined ? {} : { body }) })
}

/** Bytes as they are, for what no HTTP client would send. */
function sendRaw(bytes: string | Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(server.port, '127.0.0.1', () => socket.write(bytes))
    let received = ''
    socket.setEncoding('utf8')
    socket.on('data', (chunk) => {
      received += chunk
    })
    socket.on('end', () => resolve(received))
    socket.on('close', () => resolve(received))
    socket.on('error', reject)
    setTimeout(() => socket.end(), 30_000).unref()
  })
}

async function expectRefusal(response: Response, status: number, code: string) {
  expect(response.status).toBe(status)
  const body = (await response.json()) as { issues: { path: string }[]; next: unknown }
  expect(body).toMatchObject({ code, error: expect.any(String), request_id: response.headers.get('x-request-id') })
  return body
}

describe('a valid request', () => {
  test('gets its answer, the request id and the trace', async () => {
    const response = await post('{"name":"a","count":1}', {
      ...json,
      traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
      'x-request-id': 'mine',
    })
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({ name: 'a', tag: [], colour: null })
    expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    expect(response.headers.get('traceparent')).toMatch(/^00-4bf92f3577b34da6a3ce929d0e0e4736-(?!00f067aa0ba902b7)/)
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
  })

  test('keeps the first value of a repeated query key unless the operation asks for all', async () => {
    const response = await post('{"name":"a","count":1}', json, `/v1/things/${id}?tag=x&tag=y&colour=red&colour=blue`)
    expect(await response.json()).toEqual({ name: 'a', tag: ['x', 'y'], colour: 'red' })
  })
})

describe('a body that may be absent', () => {
  test.each([
    ['no body at all', undefined, {}, { colour: 'red' }],
    ['an empty object', '{}', json, { colour: 'red' }],
    ['a choice', '{"colour":"blue"}', json, { colour: 'blue' }],
  ])('%s', async (_what, body, headers, expected) => {
    const response = await post(body, headers as Record<string, string>, '/v1/choose')
    expect([response.status, await response.json()]).toEqual([200, expected])
  })

  test('a bad one is refused all the same', async () => {
    await expectRefusal(await post('{"colour":"green"}', json, '/v1/choose'), 400, 'validation_failed')
  })
})

describe('bad input gets a 4xx in the envelope', () => {
  test.each([
    ['broken JSON', '{"name":', 400, 'malformed_json'],
    ['an empty body', '', 400, 'malformed_json'],
    ['a wrong type', '{"name":1,"count":1}', 400, 'validation_failed'],
    ['a missing field', '{}', 400, 'validation_failed'],
    ['a bare array', '[]', 400, 'validation_failed'],
    ['a prototype key', '{"__proto__":{"name":"a","count":1}}', 400, 'validation_failed'],
    ['a body above the limit', JSON.stringify({ name: 'x'.repeat(3_000), count: 1 }), 413, 'payload_too_large'],
  ])('%s', async (_what, body, status, code) => {
    await expectRefusal(await post(body), status, code)
  })

  test('names every wrong field', async () => {
    const body = await expectRefusal(await post('{"name":"","count":11}'), 400, 'validation_failed')
    expect(body.issues.map((issue) => issue.path)).toEqual(['name', 'count'])
    expect(body.next).toBeTypeOf('string')
  })

  test('broken JSON is not quoted back: it may hold a secret', async () => {
    const response = await post('{"password":"hunter2" oops')
    expect(await response.text()).not.toContain('hunter2')
  })

  test('a body of bytes that are no UTF-8', async () => {
    await expectRefusal(await post(Buffer.from([0x22, 0xff, 0xfe, 0x22])), 400, 'invalid_encoding')
  })

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', 'application/jsonp'])(
    'content type %s',
    async (type) => {
      await expectRefusal(await post('{"name":"a","count":1}', { 'content-type': type }), 415, 'unsupported_media_type')
    },
  )

  test('a body above the limit that is sent in chunks of unknown length', async () => {
    const chunks = ReadableStream.from(Array.from({ length: 10 }, () => new TextEncoder().encode('x'.repeat(500))))
    const request: RequestInit & { duplex: 'half' } = { method: 'POST', headers: json, body: chunks, duplex: 'half' }
    await expectRefusal(await fetch(`${server.url}/v1/things/${id}`, request), 413, 'payload_too_large')
  })

  test('an id that is no UUID is as absent as one that names nothing', async () => {
    await expectRefusal(await post('{"name":"a","count":1}', json, '/v1/things/nope'), 404, 'not_found')
  })

  test.each(['/v1/things/%ff', `/v1/things/${id}?colour=%ff`])(
    'percent-encoded bytes that are no UTF-8: %s',
    async (path) => {
      const response = await post('{"name":"a","count":1}', json, path)
      await expectRefusal(response, 400, 'invalid_encoding')
    },
  )

  test('an unknown route', async () => {
    await expectRefusal(await fetch(`${server.url}/v1/nowhere`), 404, 'not_found')
    await expectRefusal(await fetch(`${server.url}/`), 404, 'not_found')
  })

  test('a known path with another method names the methods it has', async () => {
    const response = await fetch(`${server.url}/v1/things/${id}`, { method: 'DELETE' })
    expect(response.headers.get('allow')).toBe('POST')
    await expectRefusal(response, 405, 'method_not_allowed')
  })

  test('an unknown host name', async () => {
    const reply = await sendRaw(`POST /v1/things/${id} HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n`)
    expect(reply).toMatch(/^HTTP\/1.1 421 /)
    expect(reply).toContain('"code":"unknown_host"')
  })

  test.each([
    ['no HTTP at all', 'hello\r\n\r\n', 400],
    ['a header flood in size', `GET / HTTP/1.1\r\nHost: localhost\r\nX-A: ${'a'.repeat(40_000)}\r\n\r\n`, 431],
    ['an invalid header name', 'GET / HTTP/1.1\r\nHost: localhost\r\nB ad: 1\r\n\r\n', 400],
    ['a bad host header', 'GET / HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n', 400],
    [
      'two lengths',
      `POST /v1/things/${id} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}`,
      400,
    ],
    [
      'an absolute target of another host',
      'GET http://evil.example/v1/x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
      404,
    ],
    ['a target that is no path', 'GET foo HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n', 400],
  ])('%s', async (_what, bytes, status) => {
    const reply = await sendRaw(bytes)
    expect(reply).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(reply.toLowerCase()).toContain('x-request-id: ')
    const body = JSON.parse(reply.slice(reply.indexOf('\r\n\r\n') + 4))
    expect(body).toMatchObject({ error: expect.any(String), code: expect.any(String), request_id: expect.any(String) })
  })

  test('a thousand headers are refused or cut, never a fault', async () => {
    const flood = Array.from({ length: 1_000 }, (_, index) => `X-H${index}: 1\r\n`).join('')
    const reply = await sendRaw(`GET /v1/nowhere HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${flood}\r\n`)
    expect(reply).toMatch(/^HTTP\/1.1 4\d\d /)
  })

  test('a body cut short leaves the server well', async () => {
    await new Promise<void>((resolve) => {
      const socket = connect(server.port, '127.0.0.1', () => {
        socket.write(
          `POST /v1/things/${id} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"na`,
        )
        setTimeout(() => {
          socket.destroy()
          resolve()
        }, 50)
      })
    })
    expect((await post('{"name":"a","count":1}')).status).toBe(200)
  })
})
