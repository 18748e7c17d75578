import { connect } from 'node:net'
import { bytes, events, operation, type ProblemCode, type ServerEvent } from '@svc/contract'
import { afterEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { Actor } from '../actor.ts'
import { anonymousPrincipal } from '../principal.ts'
import { answer } from './answer.ts'
import { handle } from './handle.ts'
import { problem } from './problem.ts'
import { serveForTest } from './testing.ts'

type Server = Awaited<ReturnType<typeof serveForTest>>
let server: Server | undefined
afterEach(async () => {
  await server?.stop()
  server = undefined
})

const base = { summary: 'For a test', audit: 'none' as const }
const Done = z.object({ ok: z.boolean() })

describe('access', () => {
  const secret = operation({ ...base, id: 'test.secret', at: 'GET /v1/secret', needs: 'signed-in', returns: Done })

  test('is closed by default: without a gate nothing but public operations answers', async () => {
    server = await serveForTest([handle(secret, () => ({ ok: true }))])
    const response = await fetch(`${server.url}/v1/secret`)
    expect(response.status).toBe(401)
    expect(await response.json()).toMatchObject({ code: 'unauthorized' })
  })

  test('the gate decides who calls and whether they may, before the handler runs', async () => {
    const actor: Actor = { type: 'human', userId: 'u1' }
    let ran = 0
    server = await serveForTest(
      [
        handle(secret, (call) => {
          ran += 1
          return { ok: call.actor.userId === 'u1' }
        }),
      ],
      {
        gate: {
          authenticate: async (request) => {
            if (request.incoming.headers.authorization !== 'Bearer good') throw problem('unauthorized')
            return { ...anonymousPrincipal(actor), kind: 'user', id: 'u1' }
          },
          authorize: async (_operation, principal, input) => {
            expect(input.params).toEqual({})
            return { principal, accountId: 'a1', projectId: undefined }
          },
          refusal: async () => problem('forbidden'),
        },
      },
    )
    expect((await fetch(`${server.url}/v1/secret`)).status).toBe(401)
    expect(ran).toBe(0)
    const allowed = await fetch(`${server.url}/v1/secret`, { headers: { authorization: 'Bearer good' } })
    expect(await allowed.json()).toEqual({ ok: true })
  })
})

test('what a handler asks ahead begins when the caller is known, beside the count of their calls', async () => {
  const perMinute = { limit: 1, windowMs: 60_000, by: 'caller' } as const
  const read = operation({
    ...base,
    id: 'test.ahead',
    at: 'GET /v1/ahead',
    needs: 'signed-in',
    rateLimit: perMinute,
    returns: Done,
  })
  const steps: string[] = []
  const run = () => {
    steps.push('run')
    return { ok: true }
  }
  server = await serveForTest([handle(read, run, (_request, { id }) => void steps.push(`ask for ${id}`))], {
    gate: {
      authenticate: async (request) => {
        if (request.incoming.headers.authorization === undefined) throw problem('unauthorized')
        return { ...anonymousPrincipal({ type: 'human' }), kind: 'user', id: 'u1' }
      },
      authorize: async (_operation, principal) => ({ principal, accountId: undefined, projectId: undefined }),
      refusal: async () => undefined,
    },
    limitRate: async () => void steps.push('count'),
  })
  expect((await fetch(`${server.url}/v1/ahead`)).status).toBe(401)
  expect(steps).toEqual([])
  expect((await fetch(`${server.url}/v1/ahead`, { headers: { authorization: 'Bearer x' } })).status).toBe(200)
  expect(steps).toEqual(['ask for u1', 'count', 'run'])
})

describe('faults of ours', () => {
  const broken = operation({ ...base, id: 'test.broken', at: 'GET /v1/broken', needs: 'public', returns: Done })

  test('a thrown error is a 500 without detail, and the record has the cause', async () => {
    server = await serveForTest([
      handle(broken, () => {
        throw new Error('connection to 10.0.0.1 with password hunter2 failed')
      }),
    ])
    const response = await fetch(`${server.url}/v1/broken`)
    expect(response.status).toBe(500)
    const body = await response.text()
    expect(JSON.parse(body)).toMatchObject({ error: 'Internal server error', code: 'internal' })
    expect(body).not.toContain('hunter2')
    await expect.poll(() => server?.finished[0]?.fault).toMatchObject({ message: expect.stringContaining('hunter2') })
  })

  test('an answer that the contract does not declare is a fault in development', async () => {
    server = await serveForTest([handle(broken, () => ({ ok: 'yes' }) as never)])
    expect((await fetch(`${server.url}/v1/broken`)).status).toBe(500)
  })

  test('a code that the contract does not declare is a fault in development', async () => {
    server = await serveForTest([
      handle(broken, () => {
        throw problem('malformed_json' satisfies ProblemCode)
      }),
    ])
    expect((await fetch(`${server.url}/v1/broken`)).status).toBe(500)
  })

  test('two handlers for one operation end the start', async () => {
    const twice = [handle(broken, () => ({ ok: true })), handle(broken, () => ({ ok: true }))]
    await expect(serveForTest(twice)).rejects.toThrow('Two handlers for operation test.broken')
  })
})

describe('deadline', () => {
  test('work that takes too long answers 503 with Retry-After, and its signal is aborted', async () => {
    const slow = operation({
      ...base,
      id: 'test.slow',
      at: 'GET /v1/slow',
      needs: 'public',
      returns: Done,
      deadlineMs: 500,
    })
    const aborted = withResolvers<void>()
    server = await serveForTest([
      handle(slow, (call) => {
        if (call.signal.aborted) aborted.resolve()
        call.signal.addEventListener('abort', () => aborted.resolve())
        return new Promise(() => undefined)
      }),
    ])
    const response = await fetch(`${server.url}/v1/slow`)
    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).toBe('10')
    expect(await response.json()).toMatchObject({ code: 'request_deadline' })
    await aborted.promise
  })
})

describe('answers', () => {
  const read = operation({ ...base, id: 'test.read', at: 'GET /v1/read', needs: 'public', returns: Done })

  test('an ETag that the caller already has is a 304 without body', async () => {
    server = await serveForTest([handle(read, () => answer({ ok: true }, { headers: { etag: '"abc"' } }))])
    const first = await fetch(`${server.url}/v1/read`)
    expect([first.status, first.headers.get('etag')]).toEqual([200, '"abc"'])
    const second = await fetch(`${server.url}/v1/read`, { headers: { 'if-none-match': 'W/"abc"' } })
    expect([second.status, await second.text()]).toEqual([304, ''])
  })

  test('HEAD answers as GET without the body', async () => {
    server = await serveForTest([handle(read, () => ({ ok: true }))])
    const response = await fetch(`${server.url}/v1/read`, { method: 'HEAD' })
    expect([response.status, await response.text()]).toEqual([200, ''])
  })

  test('a preflight from any origin is granted our headers and no others', async () => {
    server = await serveForTest([handle(read, () => ({ ok: true }))])
    const response = await fetch(`${server.url}/v1/read`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://app.example',
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'authorization, x-svc-session, x-evil',
      },
    })
    expect(response.status).toBe(204)
    const granted = response.headers.get('access-control-allow-headers')
    expect(granted).toContain('Authorization')
    expect(granted).toContain('x-svc-session')
    expect(granted).not.toContain('x-evil')
  })

  test('events stream with their ids, and a reader that leaves stops the source', async () => {
    const watch = operation({
      ...base,
      id: 'test.watch',
      at: 'GET /v1/watch',
      needs: 'public',
      returns: events(z.object({ n: z.number() })),
    })
    const stopped = withResolvers<void>()
    async function* count(): AsyncGenerator<ServerEvent<{ n: number }>> {
      try {
        for (let n = 1; ; n += 1) {
          yield { id: n, event: 'tick', data: { n } }
          await new Promise((resolve) => setTimeout(resolve, 5))
        }
      } finally {
        stopped.resolve()
      }
    }
    server = await serveForTest([handle(watch, () => count())])
    const leave = new AbortController()
    const response = await fetch(`${server.url}/v1/watch`, { signal: leave.signal })
    expect(response.headers.get('content-type')).toContain('text/event-stream')
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    const { value } = await reader.read()
    expect(new TextDecoder().decode(value)).toContain('id: 1\nevent: tick\ndata: {"n":1}\n\n')
    leave.abort()
    await stopped.promise
  })
})

describe('streams', () => {
  const watch = operation({
    ...base,
    id: 'test.watch',
    at: 'GET /v1/watch',
    needs: 'public',
    returns: events(z.object({ n: z.number() })),
  })
  const download = operation({
    ...base,
    id: 'test.download',
    at: 'GET /v1/download',
    needs: 'public',
    returns: bytes('text/plain'),
  })

  test('a source that fails cuts the stream and is a fault on record; the server goes on', async () => {
    async function* fail(): AsyncGenerator<ServerEvent<{ n: number }>> {
      yield { id: 1, data: { n: 1 } }
      throw new Error('the source broke')
    }
    server = await serveForTest([handle(watch, () => fail()), handle(download, () => 'x')])
    await expect(fetch(`${server.url}/v1/watch`).then((response) => response.text())).rejects.toThrow()
    await expect.poll(() => server?.finished[0]).toMatchObject({ status: 500, fault: { message: 'the source broke' } })
    expect((await fetch(`${server.url}/v1/download`)).status).toBe(200)
  })

  test('the status that was streamed is the status on record', async () => {
    async function* part(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('half')
    }
    server = await serveForTest([handle(download, () => answer(part(), { status: 206 }))])
    expect((await fetch(`${server.url}/v1/download`)).status).toBe(206)
    await expect.poll(() => server?.finished[0]?.status).toBe(206)
  })

  test('a malformed second request does not write into an answer that is under way', async () => {
    const over = withResolvers<void>()
    async function* unfinished(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('piece 0;')
      await over.promise
    }
    server = await serveForTest([handle(download, () => unfinished())])
    const { port } = server
    const received = await new Promise<string>((resolve) => {
      let text = ''
      const socket = connect(port, '127.0.0.1', () => {
        socket.write('GET /v1/download HTTP/1.1\r\nHost: localhost\r\n\r\n')
      })
      socket.on('data', (chunk) => {
        if (!text.includes('piece 0;') && `${text}${chunk}`.includes('piece 0;'))
          socket.write('not http at all\r\n\r\n')
        text += chunk
      })
      socket.on('close', () => resolve(text))
      socket.on('error', () => resolve(text))
    })
    over.resolve()
    expect(received).toContain('piece 0;')
    expect(received).not.toContain('HTTP/1.1 400')
  })

  test('a header that HTTP does not carry is a fault in the envelope', async () => {
    server = await serveForTest([handle(download, () => answer('x', { headers: { 'x-name': 'snow ☃' } }))])
    const response = await fetch(`${server.url}/v1/download`)
    expect([response.status, await response.json()]).toMatchObject([500, { code: 'internal' }])
  })
})

describe('what matches no operation', () => {
  test('is refused in the shape of the protocol it lies below', async () => {
    const read = operation({ ...base, id: 'test.read', at: 'GET /v1/oauth/thing', needs: 'public', returns: Done })
    server = await serveForTest([handle(read, () => ({ ok: true }))])
    const missing = await fetch(`${server.url}/v1/oauth/nope`)
    expect([missing.status, await missing.json()]).toMatchObject([
      404,
      { error: 'not_found', error_description: 'Not found' },
    ])
    const wrong = await fetch(`${server.url}/v1/oauth/thing`, { method: 'POST' })
    expect([wrong.status, await wrong.json()]).toMatchObject([405, { error: 'method_not_allowed' }])
  })

  test('is closed to other origins outside the API', async () => {
    server = await serveForTest([])
    expect((await fetch(`${server.url}/dev/nope`)).headers.get('access-control-allow-origin')).toBeNull()
    expect((await fetch(`${server.url}/v1/nope`)).headers.get('access-control-allow-origin')).toBe('*')
  })
})

function withResolvers<T>() {
  let resolve: (value: T) => void = () => undefined
  const promise = new Promise<T>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}

test('what fails because a part is away for a moment is told to come again, with the fault in the record only', async () => {
  const open = { ...base, needs: 'public' as const, returns: Done }
  const read = operation({ ...open, id: 'test.read', at: 'GET /v1/thing' })
  const write = operation({ ...open, id: 'test.write', at: 'POST /v1/thing', idempotent: true })
  const away = new Error('the connection to 10.0.0.7 was lost')
  const fail = () => Promise.reject(away)
  server = await serveForTest([handle(read, fail), handle(write, fail)], { isPassing: (error) => error === away })
  const ask = async (method: string) => {
    const response = await fetch(`${server?.url}/v1/thing`, { method })
    return { status: response.status, after: response.headers.get('retry-after'), ...Object(await response.json()) }
  }
  expect(await ask('GET')).toMatchObject({
    status: 503,
    after: '1',
    code: 'unavailable',
    next: expect.stringMatching(/^Try again/),
  })
  const written = await ask('POST')
  expect(written).toMatchObject({
    status: 503,
    code: 'unavailable',
    next: expect.stringContaining('same Idempotency-Key'),
  })
  expect(JSON.stringify(written)).not.toContain('10.0.0.7')
  expect(server.finished.map(({ fault }) => fault)).toEqual([away, away])
})
