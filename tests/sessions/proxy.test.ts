import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createPerson } from '../support/people.ts'
import { type SessionWorld, startSessionWorld, waitUntilIdle, waitUntilReady } from './session-world.ts'

/** The way into a real machine: its daemon, its runtime and a program that somebody started there. */

const app = `import { createServer } from 'node:http'
const server = createServer((req, res) => {
  if (req.url === '/move') return res.writeHead(302, { location: 'http://localhost:3000/there' }).end()
  if (req.url === '/big') { for (let i = 0; i < 64; i++) res.write('x'.repeat(65536)); return res.end() }
  if (req.url === '/events') {
    res.writeHead(200, { 'content-type': 'text/event-stream' })
    let n = 0
    const timer = setInterval(() => { res.write('data: ' + n + '\\n\\n'); if (++n === 5) { clearInterval(timer); res.end() } }, 50)
    return
  }
  res.writeHead(200, { 'content-type': 'application/json', 'set-cookie': 'app=1', 'clear-site-data': '*' })
  let body = ''
  req.on('data', (chunk) => { body += chunk })
  req.on('end', () => res.end(JSON.stringify({ method: req.method, url: req.url, headers: req.headers, body })))
})
server.on('upgrade', (req, socket) => {
  socket.write('HTTP/1.1 101 Switching Protocols\\r\\nConnection: Upgrade\\r\\nUpgrade: echo\\r\\n\\r\\n')
  socket.pipe(socket)
})
server.listen(3000, '127.0.0.1')
`

let world: SessionWorld
let base = ''
let externalId = ''
let sessionId = ''

beforeAll(async () => {
  world = await startSessionWorld()
  const text = [
    'Start it.',
    '```script',
    `write app.mjs: ${app.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}`,
    'run nohup node app.mjs > app.log 2>&1 & true',
    'finish Started.',
    '```',
  ].join('\n')
  const made = await world.call('POST /sessions', { pending_prompt: { text } })
  sessionId = String(made.body.session_id)
  const started = await waitUntilReady(world, sessionId)
  await waitUntilIdle(world, sessionId)
  externalId = /sb[0-9a-z]{18}/.exec(String(started.runtime_url))?.[0] ?? ''
  base = `${world.url}/v1/p/${externalId}`
  await vi.waitUntil(async () => (await ask('/3000/')).status === 200, { timeout: 120_000, interval: 50 })
}, 240_000)
afterAll(() => world?.stop(), 120_000)

const bearer = () => ({ authorization: `Bearer ${world.owner.accessToken}` })
const ask = (path: string, init: RequestInit = {}) =>
  fetch(`${base}${path}`, { redirect: 'manual', ...init, headers: { ...bearer(), ...init.headers } })

describe('a port of a machine', () => {
  test('gets the request without any credential of the platform', async () => {
    const answered = await ask(`/3000/a/b?x=1&token=${world.owner.accessToken}&y=2`, {
      method: 'POST',
      body: 'hello',
      headers: { cookie: 'mine=1', 'x-svc-service-call': '1', traceparent: '00-abc' },
    })
    const seen = (await answered.json()) as { url: string; body: string; headers: Record<string, string> }
    expect([seen.url, seen.body]).toEqual(['/a/b?x=1&y=2', 'hello'])
    expect(JSON.stringify(seen)).not.toContain(world.owner.accessToken)
    for (const name of ['authorization', 'cookie', 'x-svc-service-call', 'x-svc-user-context', 'traceparent']) {
      expect(seen.headers[name]).toBeUndefined()
    }
    expect(seen.headers['x-forwarded-prefix']).toBe(`/v1/p/${externalId}/3000`)
  })

  test('sets nothing for the platform’s origin, and its pages may not act as the platform', async () => {
    const { headers } = await ask('/3000/')
    expect(headers.get('set-cookie')).toBeNull()
    expect(headers.get('clear-site-data')).toBeNull()
    expect(headers.get('content-security-policy')).toMatch(/(^|, )sandbox /)
    expect(headers.get('content-security-policy')).not.toContain('allow-same-origin')
  })

  test('stays inside the proxy when it redirects to itself', async () => {
    const moved = await ask('/3000/move')
    expect([moved.status, moved.headers.get('location')]).toEqual([302, `/v1/p/${externalId}/3000/there`])
  })

  test('streams: a large answer whole, events as they come', async () => {
    expect((await (await ask('/3000/big')).arrayBuffer()).byteLength).toBe(64 * 65_536)
    const events = await ask('/3000/events')
    const reader = events.body?.getReader()
    const first = await reader?.read()
    expect(new TextDecoder().decode(first?.value)).toMatch(/^data: 0\n\n/)
    await reader?.cancel()
  })

  test('upgrades', async () => {
    const { port } = new URL(world.url)
    const head = [
      `GET /v1/p/${externalId}/3000/ws?token=${world.owner.accessToken} HTTP/1.1`,
      'Host: localhost',
      'Connection: Upgrade',
      'Upgrade: echo',
    ]
    const text = await speak(Number(port), `${head.join('\r\n')}\r\n\r\nping`, 'ping')
    expect(text).toMatch(/^HTTP\/1\.1 101 /)
  })

  test('that nobody listens on is told apart from a machine that is gone', async () => {
    const closed = await ask('/3999/')
    expect([closed.status, closed.headers.get('x-svc-proxy-hop')]).toEqual([502, 'app_port'])
    expect(await closed.json()).toMatchObject({ code: 'sandbox_unreachable', hop: 'app_port', port: 3999 })
    expect((await ask('/4096/')).status).toBe(403)
    expect((await ask('/0/')).status).toBe(400)
    expect((await ask('/3000')).status).toBe(301)
  })

  test('opens on a host of its own by a ticket, which becomes a cookie of that host', async () => {
    const { ticket } = (await (
      await fetch(`${world.url}/v1/p/auth`, { method: 'POST', headers: bearer() })
    ).json()) as {
      ticket: string
    }
    const { port } = new URL(world.url)
    const host = `p3000-${externalId}.localhost:${port}`
    const get = (path: string, more: string[] = []) =>
      speak(
        Number(port),
        `${[`GET ${path} HTTP/1.1`, `Host: ${host}`, 'Connection: close', ...more].join('\r\n')}\r\n\r\n`,
      )
    expect(await get('/')).toMatch(/^HTTP\/1\.1 401 /)
    const entered = await get(`/page?token=${ticket}`)
    expect(entered).toMatch(/^HTTP\/1\.1 302 /)
    expect(entered).toMatch(/\r\nlocation: \/page\r\n/i)
    const cookie = /set-cookie: (__preview_session=[^;]+)/i.exec(entered)?.[1] ?? ''
    const shown = await get('/v1/accounts', [`Cookie: ${cookie}; app=1`, 'Authorization: Bearer of-the-app'])
    expect(shown).toContain('"url":"/v1/accounts"')
    expect(shown).toContain('"cookie":"app=1"')
    expect(shown).toContain('"authorization":"Bearer of-the-app"')
    expect(shown).not.toContain('__preview_session=')
    // A token of the app's own is the app's; one of the platform's never is.
    const reset = await get(`/reset?token=${'r'.repeat(43)}&x=1`, [`Cookie: ${cookie}`])
    expect(reset).toContain(`"url":"/reset?token=${'r'.repeat(43)}&x=1"`)
    const ours = await get(`/reset?token=${world.owner.accessToken}`, [`Cookie: ${cookie}`])
    expect(ours).toMatch(/^HTTP\/1\.1 302 /)
    expect(ours).not.toContain(world.owner.accessToken)
    expect(await get('/reset?token=of-the-app')).toMatch(/^HTTP\/1\.1 401 /)
  })
})

describe('who gets in', () => {
  test('nobody without a credential, nor somebody of another account', async () => {
    expect((await fetch(`${base}/3000/`)).status).toBe(401)
    const stranger = await createPerson(world.platform)
    const refused = await fetch(`${base}/3000/`, { headers: { authorization: `Bearer ${stranger.accessToken}` } })
    expect([403, 404]).toContain(refused.status)
    expect((await fetch(`${world.url}/v1/p/sb000000000000000000/3000/`, { headers: bearer() })).status).toBe(404)
  })

  test('whoever has a link, to its one port, until it is ended', async () => {
    const share = async (body: object) =>
      fetch(`${world.url}/v1/p/share`, {
        method: 'POST',
        headers: { ...bearer(), 'content-type': 'application/json' },
        body: JSON.stringify({ sandbox_id: externalId, ...body }),
      })
    expect((await share({ port: 8000 })).status).toBe(400)
    const made = (await (await share({ port: 3000, ttl: '30m', label: 'Look' })).json()) as {
      url: string
      token: string
    }
    const opened = await fetch(`${made.url}page`)
    expect(await opened.json()).toMatchObject({ url: '/page' })
    expect((await fetch(made.url.replace('/3000/', '/3001/'))).status).toBe(403)
    const list = await fetch(`${world.url}/v1/p/share?sandbox_id=${externalId}`, { headers: bearer() })
    expect(await list.json()).toMatchObject({ shares: [{ token: made.token, port: 3000, label: 'Look' }] })
    const end = `${world.url}/v1/p/share/${made.token}?sandbox_id=${externalId}`
    expect((await fetch(end, { method: 'DELETE', headers: bearer() })).status).toBe(200)
    expect((await fetch(made.url)).status).toBe(410)
  })
})

describe('the agent runtime', () => {
  test('answers through the proxy, and a prompt that is sent twice runs once', async () => {
    const health = (await (await ask('/8000/svc/health')).json()) as {
      runtimeReady: boolean
      opencode_session_id: string
    }
    expect(health.runtimeReady).toBe(true)
    const path = `/8000/session/${health.opencode_session_id}/prompt_async`
    const body = JSON.stringify({ parts: [{ type: 'text', text: '```script\nfinish Once.\n```' }] })
    const prompt = () => ask(path, { method: 'POST', body, headers: { 'content-type': 'application/json' } })
    expect((await prompt()).status).toBe(204)
    expect(await (await prompt()).json()).toEqual({ status: 'duplicate', deduplicated: true })
    const hidden = await ask('/8000/svc/env', {
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'application/json' },
    })
    expect(hidden.status).toBe(404)
    for (const path of [
      '/svc/refresh',
      '/svc/git/commit-push',
      '/svc/exec',
      '//svc/env',
      '/x/%2e%2e/svc/env',
      '/%73vc/env',
    ]) {
      const refused = await speak(
        Number(new URL(world.url).port),
        `POST /v1/p/${externalId}/8000${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${world.owner.accessToken}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
      )
      expect([path, refused.slice(9, 12)]).toEqual([path, '404'])
    }
  })

  test('of a parked session says so, and a page that is opened shows what is happening', {
    timeout: 120_000,
  }, async () => {
    await waitUntilIdle(world, sessionId)
    await world.call(`POST /sessions/${sessionId}/stop`)
    const read = await ask('/3000/')
    expect([read.status, read.headers.get('x-svc-proxy-hop')]).toEqual([503, 'control_plane'])
    const head = [`GET /v1/p/${externalId}/3000/ HTTP/1.1`, 'Host: localhost', 'Connection: close', 'Accept: text/html']
    const credential = `Authorization: Bearer ${world.owner.accessToken}`
    const page = await speak(Number(new URL(world.url).port), `${[...head, credential].join('\r\n')}\r\n\r\n`)
    expect(page).toMatch(/^HTTP\/1\.1 200 /)
    expect(page).toContain('Starting the sandbox')
    expect((await world.call(`GET /sessions/${sessionId}`)).body.status).toMatch(/provisioning|running/)
  })
})

function speak(port: number, text: string, until?: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    let seen = ''
    socket.on('error', reject)
    socket.on('data', (chunk) => {
      seen += chunk.toString()
      if (until !== undefined && seen.includes(until)) socket.destroy()
    })
    socket.on('close', () => resolve(seen))
    socket.write(text)
  })
}
