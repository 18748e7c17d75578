import { createServer, type Server } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createOutbound, OutboundError } from './index.ts'
import { HOSTILE_HOSTS } from './testing/hostile-hosts.ts'

let server: Server
let port: number
let connections = 0
const requests: Array<{ url: string; headers: Record<string, unknown>; method: string }> = []

beforeAll(async () => {
  server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://x')
    requests.push({ url: request.url ?? '', headers: request.headers, method: request.method ?? '' })
    const to = url.searchParams.get('to')
    if (to) {
      response.writeHead(Number(url.searchParams.get('status') ?? 302), { location: to }).end('moved')
      return
    }
    if (url.pathname === '/slow') return
    if (url.pathname === '/drip') {
      response.writeHead(200)
      response.write('x')
      return
    }
    if (url.pathname === '/big') {
      response.end(Buffer.alloc(200_000))
      return
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"hello":"there"}')
  })
  server.on('connection', () => {
    connections += 1
  })
  await new Promise<void>((resolve) => server.listen(0, '::', resolve))
  port = readPort(server.address())
})

afterAll(() => {
  server.closeAllConnections()
  server.close()
})

function readPort(address: AddressInfo | string | null): number {
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

async function codeOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => 'reached',
    (error: unknown) => (OutboundError.isInstance(error) ? error.code : String(error)),
  )
}

describe('a hostile address is refused before anything is dialled', () => {
  const outbound = createOutbound()
  afterAll(() => outbound.stop())

  test(`none of ${HOSTILE_HOSTS.length} hosts is reached`, async () => {
    expect(HOSTILE_HOSTS.length).toBeGreaterThanOrEqual(80)
    const before = connections
    const outcomes: Array<[string, string]> = []
    for (const host of HOSTILE_HOSTS)
      outcomes.push([host, await codeOf(outbound.guardedFetch(`http://${host}:${port}/`))])
    expect(outcomes.filter(([, code]) => code !== 'outbound_refused')).toEqual([])
    expect(connections).toBe(before)
  })

  test('none is reached by a name that resolves to it', async () => {
    const before = connections
    for (const host of HOSTILE_HOSTS) {
      const { hostname } = new URL(`http://${host}/`)
      const address = hostname.replace(/^\[|\]$/g, '')
      const named = createOutbound({ resolve: async () => [address] })
      expect([host, await codeOf(named.guardedFetch(`http://innocent.example:${port}/`))]).toEqual([
        host,
        'outbound_refused',
      ])
      await named.stop()
    }
    expect(connections).toBe(before)
  })

  test.each([
    'file:///etc/passwd',
    'ftp://example.com/',
    'gopher://x/',
    'javascript:1',
    'http://',
    'no url',
    'http://u:p@example.com/',
    'http://1.2.3.4.5/',
    'unix:///tmp/x',
  ])('the address %s is refused', async (url) => {
    expect(await codeOf(outbound.guardedFetch(url))).toBe('outbound_refused')
  })

  test('the message says who can allow it, and not which private address the name has', async () => {
    const inside = createOutbound({ resolve: async () => ['10.9.8.7', 'fd00::1'] })
    const refusal = await inside.guardedFetch('http://wiki.corp/').catch((error: unknown) => error)
    if (!OutboundError.isInstance(refusal)) throw new Error('not refused')
    expect(refusal.message).toMatch(/wiki\.corp leads to no public address.*operator can allow/)
    expect(refusal.message).not.toMatch(/10\.9|fd00|private/)
    expect(String(refusal.cause)).toContain('10.9.8.7')
    await inside.stop()
  })
})

test('public addresses pass the check, also inside mapped and translated forms', () => {
  const { policy } = createOutbound()
  const open = [
    '8.8.8.8',
    '1.1.1.1',
    '172.15.0.1',
    '172.32.0.1',
    '100.63.0.1',
    '100.128.0.1',
    '198.20.0.1',
    '223.255.255.254',
    '2606:4700::1111',
    '::ffff:8.8.8.8',
    '64:ff9b::808:808',
  ]
  expect(open.filter((address) => policy.refusal('x.example', address) !== undefined)).toEqual([])
})

describe('what the operator allows', () => {
  test.each([['127.0.0.1/32'], ['127.0.0.0/8'], ['127.0.0.1']])(
    'the range %s opens that address and no other',
    async (range) => {
      const outbound = createOutbound({ allowPrivate: [range] })
      const answer = await outbound.guardedFetch(`http://127.0.0.1:${port}/a?b=1`)
      expect([answer.status, answer.json(), answer.url]).toEqual([
        200,
        { hello: 'there' },
        `http://127.0.0.1:${port}/a?b=1`,
      ])
      expect(await codeOf(outbound.guardedFetch(`http://[::1]:${port}/`))).toBe('outbound_refused')
      await outbound.stop()
    },
  )

  test('a host name opens that name only', async () => {
    const outbound = createOutbound({ allowPrivate: ['wiki.corp', '*.lab.corp'], resolve: async () => ['127.0.0.1'] })
    for (const host of ['wiki.corp', 'WIKI.corp.', 'a.lab.corp', 'b.a.lab.corp']) {
      expect((await outbound.guardedFetch(`http://${host}:${port}/`)).status).toBe(200)
    }
    for (const host of ['lab.corp', 'xwiki.corp', 'wiki.corp.evil.example', 'other.corp']) {
      expect(await codeOf(outbound.guardedFetch(`http://${host}:${port}/`))).toBe('outbound_refused')
    }
    await outbound.stop()
  })

  test.each(['', '10.0.0.0/33', '10.0.0', 'a b', 'http://x', '*'])('the entry "%s" is refused at start', (entry) => {
    expect(() => createOutbound({ allowPrivate: [entry] })).toThrow(/neither an address/)
  })
})

describe('a name that changes its answer', () => {
  test('is asked once per connection, and the address that was checked is the one that is dialled', async () => {
    let asked = 0
    const resolve = async () => (asked++ === 0 ? ['127.0.0.1'] : ['::1'])
    const outbound = createOutbound({ allowPrivate: ['127.0.0.1/32'], resolve })
    expect((await outbound.guardedFetch(`http://rebind.example:${port}/`)).status).toBe(200)
    expect(asked).toBe(1)
    await outbound.stop()
  })

  test('only its allowed addresses are dialled when it has both kinds', async () => {
    const refusing = createTcpServer().listen(0, '127.0.0.1')
    const outbound = createOutbound({
      allowPrivate: ['127.0.0.1/32'],
      resolve: async () => ['::1', '10.0.0.1', '127.0.0.1'],
    })
    expect((await outbound.guardedFetch(`http://mixed.example:${port}/`)).status).toBe(200)
    await outbound.stop()
    refusing.close()
  })
})

describe('redirects', () => {
  const outbound = createOutbound({ allowPrivate: ['127.0.0.1/32'] })
  const go = (to: string, more = '') => `http://127.0.0.1:${port}/?to=${encodeURIComponent(to)}${more}`
  afterAll(() => outbound.stop())

  test('each one is checked like the first address', async () => {
    const before = connections
    const targets = [
      `http://[::1]:${port}/`,
      `http://localhost.localdomain.invalid:${port}`,
      'http://169.254.169.254/latest/meta-data/',
      'file:///etc/passwd',
      'http://a:b@127.0.0.1/',
      `//[::ffff:7f00:2]:${port}/`,
    ]
    for (const target of targets) expect(await codeOf(outbound.guardedFetch(go(target)))).not.toBe('reached')
    expect(connections - before).toBeLessThanOrEqual(1 + targets.length)
    expect(requests.some(({ headers }) => String(headers.host).startsWith('['))).toBe(false)
  })

  test('an allowed one is followed, and secrets stay with the first origin', async () => {
    const other = createServer((request, response) => response.end(JSON.stringify(request.headers))).listen(
      0,
      '127.0.0.1',
    )
    await new Promise((resolve) => other.once('listening', resolve))
    const target = `http://127.0.0.1:${readPort(other.address())}/`
    const headers = { Authorization: 'Bearer x', 'X-Api-Key': 'k', Accept: 'text/plain' }
    const seen = (await outbound.guardedFetch(go(target), { headers })).json()
    expect(seen).toMatchObject({ accept: 'text/plain' })
    expect(seen).not.toHaveProperty('authorization')
    expect(seen).not.toHaveProperty('x-api-key')
    other.close()
  })

  test('a loop ends, and none is followed when none is wanted', async () => {
    const loop = `http://127.0.0.1:${port}/?to=`
    expect(await codeOf(outbound.guardedFetch(loop + encodeURIComponent(`${loop}%2F`)))).toBe('reached')
    const self = createServer((_, response) => response.writeHead(302, { location: '/' }).end()).listen(0, '127.0.0.1')
    await new Promise((resolve) => self.once('listening', resolve))
    expect(await codeOf(outbound.guardedFetch(`http://127.0.0.1:${readPort(self.address())}/`))).toBe(
      'outbound_redirects',
    )
    self.close()
    expect((await outbound.guardedFetch(go('/x'), { maxRedirects: 0 })).status).toBe(302)
  })

  test('a POST becomes a GET without its body on 302 and stays a POST on 307', async () => {
    await outbound.guardedFetch(go('/after'), { method: 'POST', body: 'x' })
    expect(requests.at(-1)).toMatchObject({ url: '/after', method: 'GET' })
    await outbound.guardedFetch(go('/after', '&status=307'), { method: 'POST', body: 'x' })
    expect(requests.at(-1)).toMatchObject({ url: '/after', method: 'POST' })
  })
})

describe('bounds', () => {
  const outbound = createOutbound({ allowPrivate: ['127.0.0.1/32'] })
  const at = (path: string) => `http://127.0.0.1:${port}${path}`
  afterAll(() => outbound.agent.destroy())

  test('an answer past its size is refused', async () => {
    expect(await codeOf(outbound.guardedFetch(at('/big'), { maxBytes: 100_000 }))).toBe('outbound_too_large')
    expect((await outbound.guardedFetch(at('/big'), { maxBytes: 200_000 })).body.length).toBe(200_000)
  })

  test('a server that never answers, or never ends, is left after the time limit', async () => {
    expect(await codeOf(outbound.guardedFetch(at('/slow'), { timeoutMs: 100 }))).toBe('outbound_timeout')
    expect(await codeOf(outbound.guardedFetch(at('/drip'), { timeoutMs: 100 }))).toBe('outbound_timeout')
  })

  test("the caller's own abort is passed on as it is", async () => {
    const abort = new AbortController()
    const call = outbound.guardedFetch(at('/slow'), { signal: abort.signal })
    abort.abort(new Error('changed my mind'))
    await expect(call).rejects.toThrow('changed my mind')
  })

  test('headers that steer the connection cannot be set', async () => {
    expect(await codeOf(outbound.guardedFetch(at('/'), { headers: { Host: 'internal' } }))).toBe('outbound_refused')
  })
})
