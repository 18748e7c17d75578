import { createServer } from 'node:https'
import type { Server } from 'node:net'
import { Transform } from 'node:stream'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { afterAll, describe, expect, test } from 'vitest'
import { type Authority, makeAuthority, openAuthority } from './authority.ts'
import { createEgress, type Substitution } from './index.ts'
import { filterHeaders } from './raw-headers.ts'
import { listenOnLoopback, openTunnel, startEgressWorld } from './testing/egress-world.ts'

const handle = 'handle-AAAA'
const secret = 'the-real-value'

/** Replaces a word wherever it stands whole in one chunk: enough for what is tested here. */
const replacing = (from: string, to: string) =>
  new Transform({
    transform(chunk, _, done) {
      done(null, String(chunk).replaceAll(from, to))
    },
  })

const swap: Substitution = {
  terminates: (_, { host }) => host === 'api.example.com' || host === 'self-signed.example',
  async decide({ path, rawHeaders, method }) {
    if (path === '/refused') return { kind: 'refuse', reason: 'This secret is not for this path.' }
    return {
      kind: 'send',
      path: path.replaceAll(handle, secret),
      rawHeaders: [...filterHeaders(rawHeaders, (name) => name !== 'accept-encoding')].map((text) =>
        text.replaceAll(handle, secret),
      ),
      ...(method === 'POST' ? { requestBody: replacing(handle, secret) } : {}),
      responseBody: replacing(secret, '[REDACTED]'),
    }
  },
}

const outside = await openAuthority(await makeAuthority('an authority of the world outside', Date.now()))
const stranger = await openAuthority(await makeAuthority('an authority nobody trusts', Date.now()))
const servers: Server[] = []

async function serveTls(authority: Authority, seen: string[]): Promise<number> {
  const server = createServer({
    SNICallback: (name, done) => void authority.contextFor(name).then((c) => done(null, c)),
  })
  server.on('request', async (incoming, response) => {
    let text = `${incoming.method} ${incoming.url} ${incoming.headers.authorization ?? ''} `
    for await (const chunk of incoming.setEncoding('utf8')) text += chunk
    seen.push(text)
    response.end(`you said ${text}`)
  })
  servers.push(server)
  return listenOnLoopback(server)
}

const world = await startEgressWorld({ open: ['127.0.0.1/32'], substitution: swap, trust: outside.certificatePem })
const machine = await world.openMachine()
const trusted = await world.egress.readCertificate(machine.projectId)
afterAll(async () => {
  await world.stop()
  for (const server of servers) server.close()
})

interface Said {
  readonly status: string
  readonly body: string
  readonly issuer: string
}

async function say(host: string, port: number, text: string, servername = host): Promise<Said> {
  const { socket } = await openTunnel(machine.socketPath, `${host}:${port}`)
  const secured: TLSSocket = connectTls({
    socket,
    servername,
    ca: [trusted, outside.certificatePem],
    ALPNProtocols: ['h2', 'http/1.1'],
  })
  let issuer = ''
  secured.once('secureConnect', () => {
    issuer = String(secured.getPeerCertificate().issuer?.CN)
  })
  secured.write(text)
  let got = ''
  for await (const chunk of secured.setEncoding('utf8')) got += chunk
  return { status: got.split(' ')[1] ?? '', body: got.slice(got.indexOf('\r\n\r\n') + 4), issuer }
}

const post = (host: string, path: string, body: string) =>
  `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${handle}\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`

describe('hosts that the substitution names', () => {
  test('the host gets the value in address, headers and body; the sandbox gets it back in nothing', async () => {
    const seen: string[] = []
    const port = await serveTls(outside, seen)
    const host = `api.example.com:${port}`
    const said = await say('api.example.com', port, post(host, `/x?key=${handle}`, `{"key":"${handle}"}`))
    expect(seen).toEqual([`POST /x?key=${secret} Bearer ${secret} {"key":"${secret}"}`])
    expect(said.status).toBe('200')
    expect(said.body).toContain('[REDACTED]')
    expect(said.body).not.toContain(secret)
    expect(said.issuer).toContain('svc egress')
  })

  test('a request for another host inside the connection is refused and nothing leaves', async () => {
    const seen: string[] = []
    const port = await serveTls(outside, seen)
    for (const named of [
      'evil.example',
      `api.example.com:${port + 1}`,
      'api.example.com',
      `api.example.com.evil:${port}`,
    ]) {
      expect((await say('api.example.com', port, post(named, '/x', handle))).status).toBe('421')
    }
    const absolute = `GET https://evil.example/ HTTP/1.1\r\nHost: api.example.com:${port}\r\nConnection: close\r\n\r\n`
    expect((await say('api.example.com', port, absolute)).status).toBe('421')
    expect(seen).toEqual([])
  })

  test('what the substitution refuses is told and not sent', async () => {
    const seen: string[] = []
    const port = await serveTls(outside, seen)
    const said = await say('api.example.com', port, post(`api.example.com:${port}`, '/refused', handle))
    expect([said.status, seen]).toEqual(['403', []])
    expect(said.body).toContain('not for this path')
  })

  test('a name in the handshake that is not the host of the tunnel ends the connection', async () => {
    const seen: string[] = []
    const port = await serveTls(outside, seen)
    const said = say('api.example.com', port, post(`api.example.com:${port}`, '/', handle), 'evil.example')
    await expect(said.then(({ status }) => status)).rejects.toThrow()
    expect(seen).toEqual([])
  })

  test('a host whose certificate nobody trusts gets nothing', async () => {
    const seen: string[] = []
    const port = await serveTls(stranger, seen)
    const said = await say('self-signed.example', port, post(`self-signed.example:${port}`, '/', handle))
    expect([said.status, seen]).toEqual(['502', []])
    const log = await world.readLog(machine.sandboxId)
    expect(log.some(({ outcome }) => outcome === 'refused_certificate')).toBe(true)
  })
})

test('a host that it does not name is spoken to directly: its own certificate, the handle untouched', async () => {
  const seen: string[] = []
  const port = await serveTls(outside, seen)
  const said = await say('other.example', port, post(`other.example:${port}`, '/x', handle))
  expect(seen).toEqual([`POST /x Bearer ${handle} ${handle}`])
  expect(said.issuer).toContain('world outside')
})

describe('the project’s authority', () => {
  test('is made once, sealed at rest, and different in every project', async () => {
    expect(await world.egress.readCertificate(machine.projectId)).toBe(trusted)
    const again = await startEgressAgain()
    expect(again).toBe(trusted)
    const other = await world.openMachine()
    expect(await world.egress.readCertificate(other.projectId)).not.toBe(trusted)
    const rows = await world.database.sql<{ key: Buffer }[]>`select sealed_key as key from svc.egress_authorities`
    expect(rows.length).toBe(2)
    for (const { key } of rows) expect(key.toString('latin1')).not.toContain('PRIVATE KEY')
  })

  async function startEgressAgain(): Promise<string> {
    const egress = createEgress(world.kernel, { platformPort: () => 1 })
    const certificate = await egress.readCertificate(machine.projectId)
    await egress.stop()
    return certificate
  }
})
