import { createHash } from 'node:crypto'
import { Agent, type IncomingMessage, request } from 'node:http'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { operation, relayed } from '@svc/contract'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { handle } from '../kernel/http/index.ts'
import { serveForTest } from '../kernel/http/testing.ts'
import { PortStream } from '../sandboxes/index.ts'
import { createMachineAgents, type MachineAgents } from './machine-agents.ts'
import { headersInto } from './pass-headers.ts'
import type { Target } from './read-target.ts'
import { relayRequest } from './relay-request.ts'

/** A program inside that sends whatever bytes a test wants, once for each head of a request that it reads. */
let answer: (socket: Socket, head: string) => void
const inside = new Set<Socket>()
const heads: string[] = []
let opened = 0
const guest = createServer((socket) => {
  opened += 1
  inside.add(socket)
  socket.on('close', () => inside.delete(socket)).on('error', () => socket.destroy())
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1')
    for (let end = text.indexOf('\r\n\r\n'); end !== -1; end = text.indexOf('\r\n\r\n')) {
      const head = text.slice(0, end)
      text = text.slice(end + 4)
      heads.push(head)
      answer(socket, head)
    }
  })
})

const declared = {
  summary: 'For a test',
  audit: 'none',
  returns: relayed,
  needs: 'public',
  errors: ['sandbox_unreachable'],
} as const
const reading = operation({ ...declared, id: 'test.read', at: 'GET /v1/relay' })
const removing = operation({ ...declared, id: 'test.remove', at: 'DELETE /v1/relay' })
const target: Target = { externalId: 'sb1', port: 3000, path: '/in', prefix: '/v1/relay', isOnOwnHost: false }
const timing = { maxBodyBytes: 1_000, firstHeaderMs: 5_000, lateCode: 'sandbox_timeout' } as const

let agents: MachineAgents
let server: Awaited<ReturnType<typeof serveForTest>>
beforeAll(async () => {
  await new Promise<void>((resolve) => guest.listen(0, '127.0.0.1', resolve))
  const { port } = guest.address() as AddressInfo
  agents = createMachineAgents(async () => {
    const stream = new PortStream()
    return stream.join(connect({ port, host: '127.0.0.1', onread: stream.onread }))
  })
  const relay = async (incoming: IncomingMessage, outgoing: Parameters<typeof relayRequest>[1]['outgoing']) => {
    const headers = headersInto(incoming, target, 'http://localhost')
    await relayRequest(agents, { incoming, outgoing, target, headers, body: undefined, ...timing })
    return undefined
  }
  server = await serveForTest([
    handle(reading, (call) => relay(call.request.incoming, call.outgoing)),
    handle(removing, (call) => relay(call.request.incoming, call.outgoing)),
  ])
})
afterAll(async () => {
  agents.stop()
  await server.stop()
  for (const socket of inside) socket.destroy()
  guest.close()
})
beforeEach(() => {
  heads.length = 0
})

const megabyte = 1_048_576
const large = Buffer.alloc(8 * megabyte)
for (let index = 0; index < large.length; index += 4) large.writeUInt32LE(index, index)
const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const ok = (fields: string) => `HTTP/1.1 200 OK\r\n${fields}\r\n\r\n`
const small = `${ok('content-length: 5')}small`
const smuggled = `${ok('content-length: 8')}smuggled`

const ask = (agent: Agent | false = false) =>
  new Promise<IncomingMessage>((resolve, reject) => {
    request(`${server.url}/v1/relay`, { agent }, resolve).once('error', reject).end()
  })

async function readAll(answered: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of answered) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

test('a large answer comes whole and in order, to a reader that stops and goes on too', async () => {
  answer = (socket) => {
    socket.write(ok(`content-length: ${large.length}`))
    socket.write(large)
  }
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  for (let count = 0; count < 2; count += 1) {
    const answered = await ask(agent)
    expect(answered.headers['content-length']).toBe(String(large.length))
    expect(digest(await readAll(answered))).toBe(digest(large))
  }
  const answered = await ask(agent)
  const hash = createHash('sha256')
  let received = 0
  answered.on('data', (chunk: Buffer) => {
    hash.update(chunk)
    received += chunk.length
    answered.pause()
    setImmediate(() => answered.resume())
  })
  await new Promise((resolve) => answered.once('end', resolve))
  agent.destroy()
  expect(received).toBe(large.length)
  expect(hash.digest('hex')).toBe(digest(large))
})

test('an answer that keeps its length to its own connection is framed anew, and the next one is read from its beginning', async () => {
  const head = ok(`content-length: ${large.length}\r\nconnection: keep-alive, content-length`)
  answer = (socket) => socket.write(Buffer.concat([Buffer.from(head), large]))
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  for (let count = 0; count < 3; count += 1) {
    const answered = await ask(agent)
    expect(answered.headers).toMatchObject({ 'transfer-encoding': 'chunked' })
    expect(digest(await readAll(answered))).toBe(digest(large))
  }
  agent.destroy()
})

test('an answer whose sender closes behind it is as whole', async () => {
  answer = (socket) => socket.end(Buffer.concat([Buffer.from(ok(`content-length: ${large.length}`)), large]))
  for (let count = 0; count < 5; count += 1) {
    const answered = await ask()
    const hash = createHash('sha256')
    for await (const chunk of answered) {
      hash.update(chunk as Buffer)
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(hash.digest('hex')).toBe(digest(large))
  }
})

/** Well before a connection that is kept would be closed for want of use. */
const soon = { timeout: 3_000 }

const sendLarge = (socket: Socket) =>
  socket.write(Buffer.concat([Buffer.from(ok(`content-length: ${large.length}`)), large]))

/** Closes what earlier answers have left open inside. */
async function closeInside(): Promise<void> {
  for (const socket of inside) socket.destroy()
  await expect.poll(() => inside.size, soon).toBe(0)
  opened = 0
}

test('a large answer leaves its connection for the next request, of whatever size', async () => {
  await closeInside()
  answer = (socket) => (count % 2 === 0 ? socket.write(small) : sendLarge(socket))
  let count = 1
  const read = async () => digest(await readAll(await ask()))
  expect(await read()).toBe(digest(large))
  // It is given back a moment after its answer was read.
  await expect
    .poll(
      async () => {
        const before = opened
        expect(await read()).toBe(digest(large))
        return opened - before
      },
      { timeout: 20_000 },
    )
    .toBe(0)
  for (count = 2; count < 8; count += 1) {
    expect(await read()).toBe(digest(count % 2 === 0 ? Buffer.from('small') : large))
  }
})

test('a byte that nobody asked for ends a connection that is kept', async () => {
  await closeInside()
  answer = (socket) => sendLarge(socket)
  expect((await readAll(await ask())).length).toBe(large.length)
  for (const socket of inside) socket.write(smuggled)
  await expect.poll(() => inside.size, soon).toBe(0)
  answer = (socket) => socket.write(small)
  expect(String(await readAll(await ask()))).toBe('small')
})

test('however many kept connections a program cuts instead of answering, the reader is told that it does not answer', async () => {
  await closeInside()
  answer = () => undefined
  // All of them are open at once, so that each leaves a connection of its own.
  const asked = [ask(), ask(), ask()]
  await expect.poll(() => heads.length, soon).toBe(3)
  for (const socket of inside) socket.write(small)
  for (const one of asked) expect(String(await readAll(await one))).toBe('small')
  answer = (socket) => socket.destroy()
  const answered = await ask()
  expect([answered.statusCode, JSON.parse(String(await readAll(answered))).code]).toEqual([502, 'sandbox_unreachable'])
})

test('a connection is kept after no answer that says it ends, nor after one to a request that was not sent whole', async () => {
  const closing = [
    `${ok(`content-length: ${large.length}\r\nconnection: close`)}`,
    `${ok(`content-length: ${large.length}\r\nkeep-alive: timeout=1`)}`,
    `${ok(`content-length: ${large.length}`).replace('HTTP/1.1', 'HTTP/1.0')}`,
  ]
  for (const head of closing) {
    await closeInside()
    answer = (socket) => socket.write(Buffer.concat([Buffer.from(head), large]))
    expect([head, (await readAll(await ask())).length]).toEqual([head, large.length])
    await expect.poll(() => [head, inside.size], soon).toEqual([head, 0])
  }
  await closeInside()
  answer = (socket) => sendLarge(socket)
  const half = 'DELETE /v1/relay HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nhalf'
  let received = 0
  const client = connect(server.port, '127.0.0.1', () => client.write(half))
  client.on('data', (chunk) => {
    received += chunk.length
  })
  await expect.poll(() => received, { timeout: 10_000 }).toBeGreaterThan(large.length)
  await expect.poll(() => inside.size, soon).toBe(0)
  client.destroy()
})

test('an answer that tells a length and has no body ends with its head', async () => {
  answer = (socket) => socket.write(`HTTP/1.1 304 Not Modified\r\ncontent-length: ${large.length}\r\n\r\n`)
  const answered = await ask()
  expect([answered.statusCode, (await readAll(answered)).length]).toEqual([304, 0])
})

test('of a reader who does not read nothing is collected: the program inside has to wait', async () => {
  let isTaken = false
  answer = (socket) => {
    const endless = Buffer.alloc(256 * megabyte)
    socket.write(ok(`content-length: ${endless.length}`))
    socket.write(endless, () => {
      isTaken = true
    })
  }
  const answered = await ask()
  answered.pause()
  await expect.poll(() => [...inside].some((socket) => socket.writableLength > 0)).toBe(true)
  for (let count = 0; count < 20; count += 1) await new Promise((resolve) => setImmediate(resolve))
  expect(isTaken).toBe(false)
  answered.destroy()
  // A reader that leaves takes the connection inside along.
  await expect.poll(() => inside.size).toBe(0)
})

test('what a program sends past the length that it announced reaches nobody, and ends its connection', async () => {
  await closeInside()
  answer = (socket) => {
    socket.write(ok(`content-length: ${megabyte}`))
    socket.write(Buffer.concat([Buffer.alloc(megabyte, 120), Buffer.from(smuggled.repeat(20_000))]))
  }
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  expect((await readAll(await ask(agent))).equals(Buffer.alloc(megabyte, 120))).toBe(true)
  await expect.poll(() => inside.size, soon).toBe(0)
  answer = (socket) => socket.write(small)
  expect(String(await readAll(await ask(agent)))).toBe('small')
  expect(String(await readAll(await ask(agent)))).toBe('small')
  agent.destroy()
})

test('a second answer in the same breath as a small one answers no other request', async () => {
  answer = (socket) => socket.write(small + smuggled)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  for (let count = 0; count < 3; count += 1) {
    expect(String(await readAll(await ask(agent)))).not.toContain('smuggled')
  }
  agent.destroy()
})

test('an answer that ends before the length that it announced is cut for its reader', async () => {
  answer = (socket) =>
    socket.end(Buffer.concat([Buffer.from(ok(`content-length: ${large.length}`)), large.subarray(4)]))
  await expect(readAll(await ask())).rejects.toThrow('aborted')
})

test('an answer whose end can be read in two ways is refused', async () => {
  const ambiguous = [
    `content-length: ${megabyte}\r\ntransfer-encoding: chunked`,
    `transfer-encoding: chunked\r\ncontent-length: ${megabyte}`,
    `content-length: 5\r\ncontent-length: ${megabyte}`,
    `content-length: ${megabyte}, 5`,
    `content-length: +${megabyte}`,
    'content-length: 99999999999999999999999',
  ]
  for (const fields of ambiguous) {
    answer = (socket) => socket.write(`${ok(fields)}5\r\nsmall\r\n0\r\n\r\n${smuggled}`)
    const answered = await ask()
    expect([fields, answered.statusCode]).toEqual([fields, 502])
    answered.resume()
  }
})

test('a body stays a body inside, however its length is told or hidden', async () => {
  answer = (socket) => socket.write(small)
  const hidden = 'GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n'
  const chunked = `${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`
  const requests = ['GET', 'DELETE'].flatMap((method) => [
    `${method} /v1/relay HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n${chunked}`,
    `${method} /v1/relay HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${hidden.length}\r\nConnection: close, content-length\r\n\r\n${hidden}`,
  ])
  for (const bytes of requests) {
    heads.length = 0
    expect(await sendRaw(bytes)).toMatch(/^HTTP\/1\.1 200 /)
    expect(heads[0]?.toLowerCase()).toMatch(/\r\n(?:transfer-encoding: chunked|content-length: 35)(?:\r\n|$)/)
  }
})

test('a request whose body can be read in two ways goes nowhere', async () => {
  answer = (socket) => socket.write(small)
  for (const fields of [
    'Content-Length: 5\r\nTransfer-Encoding: chunked',
    'Content-Length: 5\r\nContent-Length: 6',
    'Transfer-Encoding: chunked, identity',
    'Transfer-Encoding: xchunked',
  ]) {
    const bytes = `DELETE /v1/relay HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${fields}\r\n\r\n0\r\n\r\n`
    expect([fields, (await sendRaw(bytes)).slice(0, 12)]).toEqual([fields, 'HTTP/1.1 400'])
  }
  expect(heads).toEqual([])
})

function sendRaw(bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    const socket = connect(server.port, '127.0.0.1', () => socket.write(bytes))
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
    })
    socket.once('error', reject).once('close', () => resolve(text))
  })
}
