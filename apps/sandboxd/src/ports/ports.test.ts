import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, request, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { connect, createServer as createTcpServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocketServer } from 'ws'
import {
  residentBytes,
  serviceKey,
  signContext,
  startTestDaemon,
  type TestAnswer,
  type TestDaemon,
} from '../testing/test-daemon.ts'

let daemon: TestDaemon
/** Its ten seconds pass while others are tested. */
let silent: Promise<TestAnswer>
let app: Server
let appPort = 0
let egress: ReturnType<typeof createTcpServer>
const egressSaw: string[] = []
let secure: Server | undefined
const hasOpenssl = spawnSync('openssl', ['version']).status === 0

beforeAll(async () => {
  app = createServer(async (request, response) => {
    for await (const chunk of request) void chunk
    response.setHeader('X-App', 'yes').end(JSON.stringify({ url: request.url, headers: request.headers }))
  })
  const sockets = new WebSocketServer({ server: app })
  sockets.on('connection', (socket) => socket.on('message', (data) => socket.send(`app ${data}`)))
  await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve))
  appPort = (app.address() as { port: number }).port
  daemon = await startTestDaemon({
    prepare: async ({ runDir }) => {
      if (hasOpenssl) makeCertificate(runDir)
      egress = createTcpServer((socket) => answerEgress(socket))
      await new Promise<void>((resolve) => egress.listen(join(runDir, 'egress.sock'), resolve))
    },
  })
  await daemon.call('PUT', '/svc/conversation', { as: 'key', body: { opencode_session_id: 'ses_1' } })
  silent = daemon.call('GET', '/silent')
})
afterAll(async () => {
  app.closeAllConnections()
  app.close()
  egress.close()
  await daemon.stop()
})

/** A certificate for secure.test that the machine trusts, as the session's own authority would sign one. */
function makeCertificate(runDir: string): void {
  const [key, certificate] = [join(runDir, 'key.pem'), join(runDir, 'ca.pem')]
  const subject = ['-subj', '/CN=secure.test', '-addext', 'subjectAltName=DNS:secure.test']
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1']
  execFileSync('openssl', ['req', '-x509', ...curve, '-nodes', '-keyout', key, '-out', certificate, ...subject], {
    stdio: 'pipe',
  })
  secure = createTlsServer({ key: readFileSync(key), cert: readFileSync(certificate) }, (request, response) =>
    response.setHeader('Content-Type', 'text/plain').end(`secure ${request.url}`),
  )
}

/** Stands for the host's egress server: tells what it was asked. */
function answerEgress(socket: Socket): void {
  socket.on('error', () => socket.destroy())
  socket.once('data', (chunk) => {
    const line = chunk.toString().split('\r\n')[0] ?? ''
    egressSaw.push(line)
    if (/^CONNECT (secure|other)\.test:443 /.test(line)) {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      secure?.emit('connection', socket)
      return
    }
    const page =
      '<html><head></head><a href="/x">x</a><img src="https://other.test/i.png"><a href="y">y</a><style>a{background:url(/b.png)}</style></html>'
    const head = `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nX-Frame-Options: DENY\r\nSet-Cookie: a=b\r\nContent-Length: ${page.length}\r\n`
    socket.end(`${head}Connection: close\r\n\r\n${page}`)
  })
}

describe('to the runtime', () => {
  test('an event is passed on the moment it is there', async () => {
    const answer = await daemon.stream('GET', '/event')
    const frames = answer[Symbol.asyncIterator]()
    expect(String((await frames.next()).value)).toBe('data: {"n":0}\n\n')
    const second = frames.next()
    await daemon.call('GET', '/next')
    expect(String((await second).value)).toBe('data: {"n":1}\n\n')
    answer.destroy()
  })

  test('a WebSocket passes both ways, text and bytes', async () => {
    const socket = daemon.connectWebSocket('/ws?a=1')
    const messages: string[] = []
    socket.on('message', (data) => messages.push(data.toString()))
    await new Promise((resolve) => socket.once('open', resolve))
    socket.send('hello')
    socket.send(Buffer.from('bytes'))
    await expect.poll(() => messages.length).toBe(3)
    const [first = '', ...rest] = messages
    expect(JSON.parse(first)).toMatchObject({ url: '/ws?a=1' })
    expect(JSON.parse(first).headers).not.toHaveProperty('authorization')
    expect(rest).toEqual(['hello', 'bytes'])
    socket.terminate()
  })

  test('a WebSocket without a context is refused in HTTP', async () => {
    const socket = daemon.connectWebSocket('/ws', 'key')
    const status = await new Promise((resolve) =>
      socket.once('unexpected-response', (_request, answer) => resolve(answer.statusCode)),
    )
    expect(status).toBe(401)
  })

  test('much more than memory streams through, down and up', async () => {
    const count = (process.env.SVC_TEST_LONG ? 1024 : 128) * 1024 * 1024
    const before = residentBytes(daemon.process.pid)
    const answer = await daemon.stream('GET', `/bytes?count=${count}`)
    let received = 0
    let peak = 0
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      received += chunk.length
      if (received % (16 * 1024 * 1024) < chunk.length) peak = Math.max(peak, residentBytes(daemon.process.pid))
    }
    expect(received).toBe(count)
    expect(peak - before).toBeLessThan(80 * 1024 * 1024)

    const block = Buffer.alloc(1_048_576, 3)
    const headers = { 'X-Svc-User-Context': signContext(), 'Content-Length': String(count) }
    const sent = request({ socketPath: join(daemon.runDir, 'host.sock'), method: 'POST', path: '/echo', headers })
    const answered = new Promise<IncomingMessage>((resolve) => sent.once('response', resolve))
    await pipeline(Readable.from(Array.from({ length: count / block.length }, () => block)), sent)
    const text = await readAll(await answered)
    expect(JSON.parse(text).sizeBytes).toBe(count)
    expect(residentBytes(daemon.process.pid) - before).toBeLessThan(80 * 1024 * 1024)
  })

  test('a reader that stops reading does not make the daemon collect', async () => {
    const before = residentBytes(daemon.process.pid)
    const answer = await daemon.stream('GET', `/bytes?count=${256 * 1024 * 1024}`)
    answer.pause()
    await daemon.call('GET', '/echo')
    await daemon.call('GET', '/echo')
    expect(residentBytes(daemon.process.pid) - before).toBeLessThan(64 * 1024 * 1024)
    answer.destroy()
  })
})

describe('to a port', () => {
  test('a program sees its own path and none of our credentials', async () => {
    const { status, headers, json } = await daemon.call('POST', `/proxy/${appPort}/a/b?c=d`, { body: 'x' })
    expect([status, headers['x-app']]).toEqual([200, 'yes'])
    expect(json.url).toBe('/a/b?c=d')
    expect(json.headers.host).toBe(`localhost:${appPort}`)
    expect(json.headers).not.toHaveProperty('authorization')
    expect(json.headers).not.toHaveProperty('x-svc-user-context')
    expect((await daemon.call('GET', `/proxy/${appPort}`)).json.url).toBe('/')
  })

  test('its WebSockets pass', async () => {
    const socket = daemon.connectWebSocket(`/proxy/${appPort}/live`)
    await new Promise((resolve) => socket.once('open', resolve))
    socket.send('x')
    const [data] = await new Promise<[Buffer]>((resolve) =>
      socket.once('message', (message: Buffer) => resolve([message])),
    )
    expect(data.toString()).toBe('app x')
    socket.terminate()
  })

  test('where nobody listens, that is said', async () => {
    expect((await daemon.call('GET', '/proxy/1/')).status).toBe(502)
  })

  test('the daemon’s own ports and the runtime’s stay closed, however they are named', async () => {
    const { runtimePort, proxyPort, apiPort } = daemon
    for (const port of [22, 4096, 8000, runtimePort, proxyPort, apiPort]) {
      expect([port, (await daemon.call('GET', `/proxy/${port}/`)).status]).toEqual([port, 403])
      expect([port, await connectThrough(`127.0.0.1:${port}`)]).toEqual([port, 403])
    }
    for (const port of ['0', '65536', '-1', 'x', '80.0', '%31']) {
      expect([port, (await daemon.call('GET', `/proxy/${port}/`)).status]).not.toEqual([port, 200])
    }
  })
})

test('a body in chunks stays one body, whatever the method', async () => {
  for (const method of ['POST', 'DELETE', 'GET']) {
    const answer = await daemon.stream(method, '/echo', {
      body: 'GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n',
      headers: { 'Transfer-Encoding': 'chunked' },
    })
    let text = ''
    for await (const chunk of answer) text += chunk
    expect(JSON.parse(text)).toMatchObject({ method, url: '/echo', sizeBytes: 35 })
    expect((await daemon.call('GET', '/echo?after')).json.url).toBe('/echo?after')
  }
})

describe('CONNECT', () => {
  test('gives a raw tunnel to a port of this machine, for the key alone', async () => {
    expect(await connectThrough(`127.0.0.1:${appPort}`)).toBe(200)
    expect(await connectThrough(`127.0.0.1:${appPort}`, 'wrong')).toBe(401)
  })

  test('carries much, unchanged and in order, to a reader that stops and goes on, in bounded memory', async () => {
    const count = (process.env.SVC_TEST_LONG ? 512 : 96) * 1024 * 1024
    const numbers = Buffer.alloc(1_048_576)
    const source = createTcpServer((client) => {
      let at = 0
      const words = new Readable({
        read() {
          if (at >= count) return void this.push(null)
          for (let index = 0; index < numbers.length; index += 4) numbers.writeUInt32LE(at + index, index)
          at += numbers.length
          this.push(Buffer.from(numbers))
        },
      })
      pipeline(words, client).catch(() => client.destroy())
    })
    await new Promise<void>((resolve) => source.listen(0, '127.0.0.1', resolve))
    const before = residentBytes(daemon.process.pid)
    const socket = connect(join(daemon.runDir, 'host.sock'))
    socket.write(
      `CONNECT 127.0.0.1:${(source.address() as { port: number }).port} HTTP/1.1\r\nAuthorization: Bearer ${serviceKey}\r\nHost: x\r\n\r\n`,
    )
    let expected = 0
    let left = Buffer.alloc(0)
    let isHead = true
    for await (const chunk of socket as AsyncIterable<Buffer>) {
      left = Buffer.concat([left, chunk])
      if (isHead) left = left.subarray(left.indexOf('\r\n\r\n') + 4)
      isHead = false
      const whole = left.length - (left.length % 4)
      for (let index = 0; index < whole; index += 4, expected += 4) {
        if (left.readUInt32LE(index) !== expected) throw new Error(`wrong bytes at ${expected}`)
      }
      left = left.subarray(whole)
      if (expected % 50 === 0) await new Promise((resolve) => setTimeout(resolve, 1))
    }
    expect(expected).toBe(count)
    expect(residentBytes(daemon.process.pid) - before).toBeLessThan(80 * 1024 * 1024)
    source.close()
  })

  test('reaches no other host', async () => {
    for (const target of [
      'example.com:80',
      '10.0.0.1:80',
      '169.254.169.254:80',
      '127.0.0.2:80',
      `0.0.0.0:${appPort}`,
    ]) {
      expect([target, await connectThrough(target)]).toEqual([target, 403])
    }
  })
})

describe('the way out', () => {
  test('both loopback ports lead to the egress socket, bytes untouched', async () => {
    for (const [port, line] of [
      [daemon.proxyPort, 'CONNECT example.com:443 HTTP/1.1'],
      [daemon.apiPort, 'GET /v1/health HTTP/1.1'],
    ] as const) {
      const socket = connect(port, '127.0.0.1')
      socket.end(`${line}\r\nHost: x\r\n\r\n`)
      let text = ''
      for await (const chunk of socket) text += chunk
      expect(text).toContain('200 OK')
      expect(egressSaw.at(-1)).toBe(line)
    }
  })

  test('an outside page comes through it, with links that come back here', async () => {
    const headers = { 'X-Forwarded-Prefix': '/v1/p/sb1/8000' }
    const { status, text, headers: sent } = await daemon.call('GET', '/web-proxy/http/site.test/a/b?c=1', { headers })
    expect(status).toBe(200)
    expect(egressSaw.at(-1)).toBe('GET http://site.test/a/b?c=1 HTTP/1.1')
    expect(text).toContain('href="/v1/p/sb1/8000/web-proxy/http/site.test/x"')
    expect(text).toContain('src="/v1/p/sb1/8000/web-proxy/https/other.test/i.png"')
    expect(text).toContain('href="y"')
    expect(text).toContain('url("/v1/p/sb1/8000/web-proxy/http/site.test/b.png")')
    expect(sent).not.toHaveProperty('x-frame-options')
    expect(sent).not.toHaveProperty('set-cookie')
  })

  test.skipIf(!hasOpenssl)('a page over TLS is fetched through a tunnel, and its certificate is checked', async () => {
    const { headers, text, status } = await daemon.call('GET', '/web-proxy/https/secure.test/page')
    expect([status, text, headers['content-type']]).toEqual([200, 'secure /page', 'text/plain'])
    expect(egressSaw.at(-1)).toBe('CONNECT secure.test:443 HTTP/1.1')
    const other = await daemon.call('GET', '/web-proxy/https/other.test/page')
    expect([other.status, other.json.code]).toEqual([502, 'page_unreachable'])
  })

  test('only http and https pages can be named', async () => {
    expect((await daemon.call('GET', '/web-proxy/file/etc/passwd')).status).toBe(400)
    expect((await daemon.call('GET', '/web-proxy/http/a%2Fb/')).status).toBe(400)
  })
})

async function readAll(answer: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of answer) text += chunk
  return text
}

function connectThrough(target: string, key = serviceKey): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect(join(daemon.runDir, 'host.sock'))
    socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\nAuthorization: Bearer ${key}\r\n\r\n`)
    socket.once('error', reject)
    socket.once('data', (chunk) => {
      socket.destroy()
      resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(chunk.toString())?.[1]))
    })
  })
}

test('rubbish after a handshake ends that connection and nothing else', async () => {
  const socket = connect(join(daemon.runDir, 'host.sock'))
  // It may be cut before everything was written.
  socket.on('error', () => undefined)
  const head = `GET /ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n`
  socket.write(`${head}Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nX-Svc-User-Context: ${signContext()}\r\n\r\n`)
  await new Promise((resolve) => socket.once('data', resolve))
  socket.write(Buffer.alloc(4096, 0xff))
  await new Promise((resolve) => socket.resume().once('close', resolve))
  expect((await daemon.call('GET', '/echo')).status).toBe(200)
})

test('a runtime that is silent is given up on after ten seconds', async () => {
  const { status, json } = await silent
  expect([status, json.code]).toEqual([504, 'runtime_timeout'])
})
