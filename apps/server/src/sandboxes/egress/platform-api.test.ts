import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { connect, createServer as createTcpServer } from 'node:net'
import { join } from 'node:path'
import { pipeline } from 'node:stream'
import { afterAll, describe, expect, test } from 'vitest'
import { runClient, tryClient } from '../../git/testing/run-client.ts'
import { startProjectWorld } from '../../projects/testing/project-world.ts'
import { listenOnLoopback, startEgressWorld } from './testing/egress-world.ts'

const seen: { url: string; headers: IncomingMessage['headers'] }[] = []
let answer: (incoming: IncomingMessage, response: ServerResponse) => void = (_, response) =>
  void response.end('platform')
const platform = createServer((incoming, response) => {
  seen.push({ url: incoming.url ?? '', headers: incoming.headers })
  answer(incoming, response)
})
const port = await listenOnLoopback(platform)
const world = await startEgressWorld({ platformPort: () => port })
const machine = await world.openMachine()
afterAll(async () => {
  await world.stop()
  platform.closeAllConnections()
  platform.close()
})

function ask(path: string, options: { method?: string; headers?: Record<string, string> } = {}) {
  return new Promise<{ status: number; body: string }>((resolve, reject) => {
    request({ socketPath: machine.socketPath, path, ...options }, (incoming) => {
      let body = ''
      incoming.setEncoding('utf8').on('data', (text: string) => {
        body += text
      })
      incoming.on('end', () => resolve({ status: incoming.statusCode ?? 0, body }))
    })
      .on('error', reject)
      .end()
  })
}

describe('the platform’s API from inside', () => {
  test('a call reaches it as its own, without anything the sandbox claims about where it comes from', async () => {
    const headers = {
      Host: '127.0.0.1:4098',
      Authorization: 'Bearer token',
      Forwarded: 'for=1.2.3.4',
      'X-Forwarded-For': '1.2.3.4',
      'X-Forwarded-Host': 'evil.example',
      'X-Real-Ip': '1.2.3.4',
    }
    expect(await ask('/v1/projects?a=b', { headers })).toEqual({ status: 200, body: 'platform' })
    const last = seen.at(-1)
    expect(last?.url).toBe('/v1/projects?a=b')
    expect(last?.headers).toMatchObject({ host: `127.0.0.1:${port}`, authorization: 'Bearer token' })
    expect(Object.keys(last?.headers ?? {}).filter((name) => /forwarded|real-ip/.test(name))).toEqual([])
  })

  test.each([
    '/dev/mailbox',
    '/',
    '/v1',
    '/v1/../dev/mailbox',
    '/v1/%2e%2e/dev/mailbox',
    '/v1/./../dev/mailbox',
    '//evil.example/v1/x',
    '/v1\\..\\dev/mailbox',
    '/V1/projects',
  ])('%s is no part of it', async (path) => {
    const before = seen.length
    expect((await ask(path)).status).toBe(400)
    expect(seen.length).toBe(before)
  })

  test('events arrive one by one while the stream is open, and the platform sees the reader leave', async () => {
    let next: (() => void) | undefined
    const left = new Promise<void>((resolve) => {
      answer = (_, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n')
        next = () => void response.write('data: 2\n\n')
        response.on('close', resolve)
      }
    })
    const stream = await new Promise<IncomingMessage>((resolve) => {
      request({ socketPath: machine.socketPath, path: '/v1/events' }, resolve).end()
    })
    const chunks: string[] = []
    for await (const chunk of stream.setEncoding('utf8')) {
      chunks.push(chunk)
      if (chunks.length === 2) break
      next?.()
    }
    expect(chunks).toEqual(['data: 1\n\n', 'data: 2\n\n'])
    await left
  })

  test('an upgrade passes when the platform takes it, and is one refused request when it does not', async () => {
    platform.on('upgrade', (incoming, socket, head) => {
      if (incoming.url === '/v1/refused')
        return void socket.end('HTTP/1.1 401 Unauthorized\r\ncontent-length: 2\r\n\r\nno')
      socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n')
      if (head.length > 0) socket.write(head)
      pipeline(socket, socket, () => undefined)
    })
    const upgrade = (path: string, more: string) =>
      new Promise<string>((resolve) => {
        const socket = connect(machine.socketPath)
        let text = ''
        socket.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk
          if (text.endsWith('ping')) socket.end()
        })
        socket.on('close', () => resolve(text))
        socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n${more}`)
      })
    const taken = await upgrade('/v1/socket', 'ping')
    expect(taken).toMatch(/^HTTP\/1\.1 101 /)
    expect(taken).toMatch(/\r\n\r\nping$/)
    const before = seen.length
    const refused = await upgrade('/v1/refused', 'GET /dev/mailbox HTTP/1.1\r\nHost: localhost\r\n\r\n')
    expect(refused).toMatch(/^HTTP\/1\.1 401 /)
    expect(refused).toMatch(/no$/)
    expect(seen.length).toBe(before)
  })
})

test('git clones and pushes through the socket, to the real platform', async () => {
  const real = await startProjectWorld()
  const own = await startEgressWorld({ platformPort: () => Number(new URL(real.platform.url).port) })
  const { socketPath } = await own.openMachine()
  // What the daemon does inside: it pipes a loopback port to the socket.
  const inside = createTcpServer((client) => {
    const upstream = connect(socketPath)
    pipeline(client, upstream, () => undefined)
    pipeline(upstream, client, () => undefined)
  })
  const insidePort = await listenOnLoopback(inside)
  const project = await real.provision()
  const remote = new URL(real.remoteOf(project.project_id, project.push_token))
  remote.port = String(insidePort)
  const path = join(real.folder, 'through')
  await runClient(real.folder, ['clone', '-q', remote.href, path])
  await real.commitFile(path, 'big.bin', Array.from({ length: 200_000 }, () => Math.random().toString(36)).join(''))
  const pushed = await tryClient(path, ['push', '-q', 'origin', 'HEAD:refs/heads/work'])
  expect([pushed.code, pushed.stderr]).toEqual([0, ''])
  const head = await runClient(path, ['rev-parse', 'HEAD'])
  expect(await runClient(path, ['ls-remote', 'origin', 'refs/heads/work'])).toContain(head)
  inside.close()
  await own.stop()
  await real.stop()
})
