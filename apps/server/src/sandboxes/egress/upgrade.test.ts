import { connect, createServer, type Server } from 'node:net'
import { afterAll, describe, expect, test } from 'vitest'
import { listenOnLoopback, startEgressWorld } from './testing/egress-world.ts'

/** Every byte that reached the platform, connection by connection. */
const received: string[] = []
let reply = ''
const platform: Server = createServer((socket) => {
  const at = received.push('') - 1
  socket.on('data', (chunk) => {
    received[at] += chunk.toString('latin1')
    if (received[at]?.includes('\r\n\r\n')) socket.end(reply)
  })
  socket.on('error', () => socket.destroy())
})
const port = await listenOnLoopback(platform)
const world = await startEgressWorld({ platformPort: () => port })
const machine = await world.openMachine()
afterAll(async () => {
  await world.stop()
  platform.close()
})

const refusal = 'HTTP/1.1 426 Upgrade Required\r\nContent-Length: 2\r\n\r\nno'
const hidden = 'GET /dev/mailbox HTTP/1.1\r\nHost: localhost\r\n\r\n'

/** Sends bytes as they are; resolves with all that came back when the connection ends. */
function send(text: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(machine.socketPath)
    let answer = ''
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      answer += chunk
    })
    socket.on('error', () => socket.destroy())
    socket.on('close', () => resolve(answer))
    socket.write(text)
    setTimeout(() => socket.end(), 30_000).unref()
  })
}

const upgrade = (headers: readonly string[], body = '', method = 'GET') =>
  send(
    [
      `${method} /v1/socket HTTP/1.1`,
      'Host: x',
      'Connection: Upgrade',
      'Upgrade: websocket',
      ...headers,
      '',
      body,
    ].join('\r\n'),
  )

describe('an upgrade to the platform', () => {
  test('announces no body, whatever the sandbox announced, and carries no header of the sandbox’s own connection', async () => {
    reply = refusal
    for (const headers of [
      [`Content-Length: ${hidden.length}`],
      ['Transfer-Encoding: chunked'],
      ['Connection: keep-alive, X-Secret', 'X-Secret: 1', 'Keep-Alive: timeout=5', 'TE: trailers', 'Trailer: X-A'],
      ['Proxy-Authorization: Basic eA==', 'Proxy-Connection: keep-alive', 'Expect: 100-continue'],
    ]) {
      received.length = 0
      await upgrade(headers, hidden)
      const all = received.join('')
      expect(all).not.toContain('/dev/mailbox')
      expect(all).not.toMatch(/^(content-length|transfer-encoding|keep-alive|te|trailer|proxy-|expect|x-secret)/im)
      for (const one of received) {
        expect(one.match(/^(GET|POST) /gm)).toHaveLength(1)
        expect(one.match(/^connection: upgrade\r$/gim)).toHaveLength(1)
        expect(one.match(/^upgrade: websocket\r$/gim)).toHaveLength(1)
      }
    }
  })

  test('that is refused leaves no connection that a later request could find in the middle of something', async () => {
    reply = refusal
    received.length = 0
    expect(await upgrade([`Content-Length: ${hidden.length}`])).toMatch(/^HTTP\/1\.1 (426|400) /)
    reply = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'
    const plain = await send('GET /v1/health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    expect(plain).toMatch(/^HTTP\/1\.1 200 /)
    expect(received.at(-1)).toMatch(/^GET \/v1\/health /)
  })

  test('is a GET for a WebSocket and nothing else', async () => {
    received.length = 0
    expect(await upgrade([], '', 'POST')).toMatch(/^HTTP\/1\.1 400 /)
    const h2c = 'GET /v1/socket HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n'
    expect(await send(h2c)).toMatch(/^HTTP\/1\.1 400 /)
    expect(received).toEqual([])
  })

  test('answers a switch of protocols without the length of a body that is not there', async () => {
    reply =
      'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nContent-Length: 9\r\n\r\nframes'
    const answer = await upgrade([])
    expect(answer).toMatch(/^HTTP\/1\.1 101 /)
    expect(answer).toMatch(/\r\n\r\nframes$/)
    expect(answer).not.toMatch(/content-length/i)
  })
})
