import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { configureSvc, platformConfig } from '../config/platform-config.ts'
import type { SvcConfig } from '../config/svc-config.ts'
import { isBillingError } from '../errors/billing-error.ts'
import { isRequestTooLargeError } from '../errors/request-too-large-error.ts'
import { answerJson, type SeenRequest, startProtocolServer } from '../server/testing/protocol-server.ts'
import { authenticatedFetch, getAuthToken } from './authenticated-fetch.ts'
import { backendApi } from './backend-api.ts'

let stop: (() => Promise<void>) | undefined
afterEach(() => stop?.())

async function serve(
  answer: (request: SeenRequest, response: ServerResponse) => unknown,
  config: Partial<SvcConfig> = {},
) {
  const server = await startProtocolServer(answer)
  stop = server.stop
  configureSvc({ backendUrl: `${server.url}/v1`, getToken: async () => 't1', ...config })
  return server
}

describe('what is sent', () => {
  test('carries the token, the client source and JSON, and asks for the token each time', async () => {
    let asked = 0
    const getToken = async () => `t${++asked}`
    const { seen } = await serve((_r, response) => answerJson(response, 200, { ok: true }), {
      getToken,
      clientSource: ' CLI ' as 'cli',
    })
    expect(await backendApi.post('/things', { a: 1 })).toEqual({ success: true, data: { ok: true } })
    expect(await backendApi.get('things')).toEqual({ success: true, data: { ok: true } })
    expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual(['POST /v1/things', 'GET /v1/things'])
    expect(seen.map(({ headers }) => headers.authorization)).toEqual(['Bearer t1', 'Bearer t2'])
    expect(seen[0]).toMatchObject({
      body: '{"a":1}',
      headers: { 'content-type': 'application/json', 'x-svc-client': 'cli' },
    })
  })

  test('a form is sent as a form, a falsy body as none, a header of the caller stays', async () => {
    const { seen } = await serve((_r, response) => answerJson(response, 200, {}), { clientSource: 'web' })
    const form = new FormData()
    form.append('file', new Blob(['x']), 'x.txt')
    await backendApi.upload('/up', form)
    await backendApi.put('/none', undefined, { headers: { 'x-svc-client': 'mine' } })
    expect(seen[0]?.headers['content-type']).toMatch(/^multipart\/form-data; boundary=/)
    expect(seen[1]).toMatchObject({ body: '', headers: { 'x-svc-client': 'mine' } })
    expect(seen[1]?.headers['content-type']).toBeUndefined()
  })

  test('without a token nothing is sent', async () => {
    const { seen } = await serve((_r, response) => answerJson(response, 200, {}), { getToken: async () => null })
    const { success, error } = await backendApi.get('/x')
    expect({ success, name: error?.name, code: error?.code }).toEqual({
      success: false,
      name: 'AuthError',
      code: 'NO_SESSION',
    })
    const reply = await authenticatedFetch('http://127.0.0.1:1/x')
    expect([reply.status, await reply.json()]).toEqual([401, { error: 'Not authenticated' }])
    expect(await getAuthToken()).toBeNull()
    expect(seen).toEqual([])
  })

  test.each(['', '/api', 'ftp://x'])('the base "%s" reaches nothing outside a browser', async (backendUrl) => {
    configureSvc({ backendUrl, getToken: async () => 't' })
    expect((await backendApi.get('/x')).error).toMatchObject({ code: 'INVALID_BACKEND_URL' })
  })

  test.each(['', '/', '/v1', '/v1///'])('a base that ends in "%s" is read as /v1', async (ending) => {
    const { url, seen } = await serve((_r, response) => answerJson(response, 200, {}))
    configureSvc({ backendUrl: url + ending, getToken: async () => 't' })
    await backendApi.get('/x')
    expect(seen[0]?.url).toBe('/v1/x')
  })
})

describe('retries', () => {
  test.each([502, 503, 504])('a read that meets %i is sent three times in all', async (status) => {
    const { seen } = await serve((_r, response) => answerJson(response, status, { error: 'later' }))
    expect((await backendApi.get('/x')).error).toMatchObject({ status, message: 'later' })
    expect(seen).toHaveLength(3)
  })

  test('a read that recovers succeeds', async () => {
    let tries = 0
    await serve((_r, response) => (++tries < 3 ? response.destroy() : answerJson(response, 200, { tries })))
    expect(await backendApi.get('/x')).toEqual({ success: true, data: { tries: 3 } })
  })

  test.each([
    ['POST', 503],
    ['DELETE', 502],
  ] as const)('a %s that meets %i is sent once', async (method, status) => {
    const { seen } = await serve((_r, response) => answerJson(response, status, {}))
    await (method === 'POST' ? backendApi.post('/x', {}) : backendApi.delete('/x'))
    expect(seen).toHaveLength(1)
  })

  test.each([400, 401, 404, 429, 500])('a read that meets %i is sent once', async (status) => {
    const { seen } = await serve((_r, response) => answerJson(response, status, {}))
    expect((await backendApi.get('/x')).error).toMatchObject({ status, code: String(status) })
    expect(seen).toHaveLength(1)
  })
})

describe('time', () => {
  test.each([
    ['headers that never come', () => undefined],
    ['a body that never ends', (response: ServerResponse) => drip(response)],
  ])('%s end in TIMEOUT and are not retried', async (_name, answer) => {
    const { url } = await serve((_r, response) => answer(response))
    // Counted here: on a busy machine the time may be up before the request reaches the server.
    const sent = vi.fn(fetch)
    configureSvc({ ...platformConfig(), fetch: sent })
    const { error } = await backendApi.get('/slow', { timeout: 80 })
    expect(error).toMatchObject({
      code: 'TIMEOUT',
      url: `${url}/v1/slow`,
      endpoint: '/slow',
      timeout: 80,
      message: 'Request timed out after 0.08s: /slow',
    })
    expect(sent).toHaveBeenCalledTimes(1)
  })

  test('a fetch that ignores its signal is left behind all the same', async () => {
    const fetch = () => new Promise<Response>(() => undefined)
    configureSvc({ backendUrl: 'http://h/v1', getToken: async () => 't', fetch })
    expect((await backendApi.get('/x', { timeout: 20 })).error).toMatchObject({ code: 'TIMEOUT' })
  })

  test('an abort is never called a timeout, before the request or during it', async () => {
    const controller = new AbortController()
    const { seen } = await serve(() => controller.abort())
    const during = await backendApi.get('/x', { signal: controller.signal })
    const before = await backendApi.get('/x', { signal: controller.signal })
    for (const { error } of [during, before]) expect(error).toMatchObject({ name: 'AbortError', code: 'ABORTED' })
    expect(seen).toHaveLength(1)
  })

  test('the limit of a stream covers only the wait for its headers', async () => {
    const timeout = 2_000
    let end = () => undefined as unknown
    await serve((_r, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('data: 1\n\n')
      end = () => response.end('data: 2\n\n')
    })
    const response = await backendApi.postStream('/s', {}, { timeout })
    await sleep(timeout + 100)
    end()
    expect(await response.text()).toBe('data: 1\n\ndata: 2\n\n')
  })
})

describe('answers that are not what they should be', () => {
  test('JSON that was cut off is named', async () => {
    await serve((_r, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end('{"a":')
    })
    expect((await backendApi.get('/x')).error).toMatchObject({ code: 'INVALID_JSON', status: 200 })
  })

  test('a connection cut inside the body is a network failure, and a read is tried again', async () => {
    const { seen } = await serve((_r, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' })
      response.write('{"a":')
      setTimeout(() => response.destroy(), 10)
    })
    expect((await backendApi.get('/x')).error).toMatchObject({ code: 'NETWORK_ERROR' })
    expect(seen).toHaveLength(3)
  })

  test('a page of HTML with a failing status is that status', async () => {
    await serve((_r, response) => {
      response.writeHead(500, { 'content-type': 'text/html' })
      response.end('<h1>Oops</h1>')
    })
    expect((await backendApi.get('/x')).error).toMatchObject({
      status: 500,
      message: 'HTTP 500: Internal Server Error',
      data: '<h1>Oops</h1>',
    })
  })

  test('text is a string, other bytes a Blob, an empty answer undefined', async () => {
    await serve(({ url }, response) => {
      if (url.endsWith('empty')) return response.writeHead(204).end()
      response.writeHead(200, { 'content-type': url.endsWith('text') ? 'text/csv' : 'application/gzip' })
      return response.end('a,b')
    })
    expect((await backendApi.get('/text')).data).toBe('a,b')
    expect((await backendApi.get('/bytes')).data).toBeInstanceOf(Blob)
    expect(await backendApi.get('/empty')).toEqual({ success: true, data: undefined })
  })

  test.each([
    ['JSON that is called text', 'text/plain', '{"a":1}', '{"a":1}'],
    ['text that is called JSON', 'application/json', 'Service moved', undefined],
    ['a page that is called JSON', 'application/json; charset=utf-8', '<!doctype html><h1>Hi</h1>', undefined],
    ['JSON of a problem', 'application/problem+json', '{"a":1}', { a: 1 }],
    ['JSON in capitals', 'APPLICATION/JSON', '[1]', [1]],
  ])('%s is a result or an error, never a throw', async (_name, type, body, data) => {
    await serve((_r, response) => response.writeHead(200, { 'content-type': type }).end(body))
    const result = await backendApi.get('/x')
    if (data === undefined) expect(result.error).toMatchObject({ code: 'INVALID_JSON', status: 200 })
    else expect(result).toEqual({ success: true, data })
  })

  test('no content type at all is bytes', async () => {
    await serve((_r, response) => response.end('x'))
    expect((await backendApi.get('/x')).data).toBeInstanceOf(Blob)
  })

  test.each([null, 7, 'text', [], { error: {} }, { detail: [] }, { message: 5, code: 9 }])(
    'a failure whose body is %j is still the failure that its status says',
    async (body) => {
      await serve((_r, response) => answerJson(response, 418, body))
      expect((await backendApi.get('/x')).error).toMatchObject({ status: 418, code: '418', data: body })
    },
  )

  test('redirects without an end are a network failure', async () => {
    await serve(({ url }, response) => response.writeHead(307, { location: url }).end())
    expect((await backendApi.post('/x', { a: 1 })).error).toMatchObject({ code: 'NETWORK_ERROR' })
  })

  test('a redirect to another origin does not take the token along', async () => {
    const other = await startProtocolServer((_r, response) => answerJson(response, 200, { there: true }))
    const { seen } = await serve((_r, response) =>
      response.writeHead(307, { location: other.url.replace('127.0.0.1', 'localhost') }).end(),
    )
    expect(await backendApi.get('/x')).toEqual({ success: true, data: { there: true } })
    expect(seen[0]?.headers.authorization).toBe('Bearer t1')
    expect(other.seen[0]?.headers.authorization).toBeUndefined()
    await other.stop()
  })

  test('402 and 431 have classes of their own', async () => {
    await serve(({ url }, response) => answerJson(response, Number(url.slice(4)), { error: 'no', code: 'c' }))
    expect(isBillingError((await backendApi.get('/402')).error)).toBe(true)
    expect(isRequestTooLargeError((await backendApi.get('/431')).error)).toBe(true)
  })
})

describe('the error sink', () => {
  const told = async (status: number, code: string, options = {}) => {
    const errors: unknown[] = []
    await serve((_r, response) => answerJson(response, status, { error: 'x', code }), {
      onError: (error) => errors.push(error),
    })
    const { error } = await backendApi.post('/x', {}, options)
    await stop?.()
    expect(error).toMatchObject({ status, code })
    return errors.length
  }

  test('hears once of a failure', async () => {
    expect(await told(500, 'internal')).toBe(1)
    expect(await told(503, 'maintenance')).toBe(1)
  })

  test.each([
    [503, 'request_deadline'],
    [501, 'feature_not_supported'],
    [409, 'model_not_servable'],
    [409, 'provision_in_flight'],
  ])('does not hear of %i %s', async (status, code) => {
    expect(await told(status, code)).toBe(0)
  })

  test('does not hear of what the caller keeps quiet, and its own failure changes nothing', async () => {
    expect(await told(500, 'internal', { showErrors: false })).toBe(0)
    await serve((_r, response) => answerJson(response, 400, { error: 'x' }), {
      onError: () => {
        throw new Error('sink')
      },
    })
    expect((await backendApi.get('/x')).error?.message).toBe('x')
  })
})

describe('authenticatedFetch', () => {
  const only = (token: string) => (request: SeenRequest, response: ServerResponse) =>
    answerJson(response, request.headers.authorization === `Bearer ${token}` ? 200 : 401, {})

  test('repeats once with a new token after a 401', async () => {
    const tokens = ['old', 'old', 'new']
    const { url, seen } = await serve(only('new'), { getToken: async () => tokens.shift() ?? 'later' })
    expect((await authenticatedFetch(`${url}/x`, { method: 'POST', body: 'b' })).status).toBe(200)
    expect(seen.map(({ headers, body }) => [headers.authorization, body])).toEqual([
      ['Bearer old', 'b'],
      ['Bearer new', 'b'],
    ])
  })

  test('returns the 401 when the token stays the same, when told not to retry, and with a token of the caller', async () => {
    let asked = 0
    const getToken = async () => `same${asked++ * 0}`
    const { url, seen } = await serve(only('other'), { getToken })
    expect((await authenticatedFetch(`${url}/x`)).status).toBe(401)
    expect(asked).toBe(3)
    expect((await authenticatedFetch(`${url}/x`, {}, { retryOnAuthError: false })).status).toBe(401)
    expect((await authenticatedFetch(`${url}/x`, { headers: { Authorization: 'Bearer mine' } })).status).toBe(401)
    expect(seen.map(({ headers }) => headers.authorization)).toEqual(['Bearer same0', 'Bearer same0', 'Bearer mine'])
  })

  test('a Request with a body can be repeated too', async () => {
    const tokens = ['old', 'new']
    const { url, seen } = await serve(only('new'), { getToken: async () => tokens.shift() ?? 'new' })
    const request = new Request(`${url}/x`, { method: 'POST', body: 'b' })
    expect((await authenticatedFetch(request)).status).toBe(200)
    expect(seen.map(({ body }) => body)).toEqual(['b', 'b'])
  })

  test('rejects when no reply arrives, and only then', async () => {
    const { url } = await serve((_r, response) => response.destroy())
    await expect(authenticatedFetch(`${url}/x`)).rejects.toThrow()
    await expect(authenticatedFetch(`${url}/x`, {}, { timeoutMs: 1 })).rejects.toThrow()
  })
})

function drip(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' })
  const timer = setInterval(() => response.write(' '), 5)
  response.on('close', () => clearInterval(timer))
}
