import { Agent, createServer, type IncomingMessage, request } from 'node:http'
import { type AddressInfo, connect, createServer as createNetServer, type Socket } from 'node:net'
import { operation, relayed } from '@svc/contract'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { handle, isUpgrade } from '../kernel/http/index.ts'
import { serveForTest } from '../kernel/http/testing.ts'
import { createMachineAgents, type MachineAgents } from './machine-agents.ts'
import { headersInto } from './pass-headers.ts'
import type { Target } from './read-target.ts'
import { relayRequest, wasNeverSent } from './relay-request.ts'
import { relayUpgrade } from './relay-upgrade.ts'

/** A program inside that keeps its connections open, takes no upgrades and answers before it has read a body. */
const seen: { url: string; headers: IncomingMessage['headers'] }[] = []
let connections = 0
const app = createServer((incoming, response) => {
  seen.push({ url: incoming.url ?? '', headers: incoming.headers })
  response.writeHead(200, { 'content-length': 3 }).end(incoming.method === 'HEAD' ? undefined : 'app')
})
app.on('connection', () => {
  connections += 1
})

const declared = { summary: 'For a test', audit: 'none', returns: relayed, needs: 'public' } as const
const open = operation({ ...declared, id: 'test.relay', at: 'GET /v1/relay' })
const target: Target = { externalId: 'sb1', port: 3000, path: '/in', prefix: '/v1/relay', isOnOwnHost: false }
const timing = { maxBodyBytes: 1_000, firstHeaderMs: 5_000, lateCode: 'sandbox_timeout' } as const

let agents: MachineAgents
let server: Awaited<ReturnType<typeof serveForTest>>
beforeAll(async () => {
  await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve))
  const { port } = app.address() as AddressInfo
  agents = createMachineAgents(async () => connect(port, '127.0.0.1'))
  server = await serveForTest([
    handle(open, async ({ request: { incoming }, outgoing }) => {
      const relay = { incoming, outgoing, target, headers: headersInto(incoming, target, 'http://localhost') }
      if (isUpgrade(incoming)) await relayUpgrade(agents, relay)
      else await relayRequest(agents, { ...relay, body: undefined, ...timing })
      return undefined
    }),
  ])
})
afterAll(async () => {
  agents.stop()
  await server.stop()
  app.closeAllConnections()
  app.close()
})
beforeEach(() => {
  seen.length = 0
  connections = 0
})

function ask(method: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const asked = request(`${server.url}/v1/relay`, { method, agent: false }, (answer) => {
      answer.resume().once('end', () => resolve(answer.statusCode ?? 0))
    })
    asked.once('error', reject).end()
  })
}

test('an upgrade announces no body inside, so that nothing of the next request is taken for one', async () => {
  const head =
    'GET /v1/relay HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: x\r\nContent-Length: 60\r\n\r\n'
  const text = await new Promise<string>((resolve, reject) => {
    let all = ''
    const socket = connect(server.port, '127.0.0.1', () => socket.write(head))
    socket.on('data', (chunk) => {
      all += chunk.toString()
    })
    socket.once('error', reject).once('close', () => resolve(all))
  })
  expect(text).toMatch(/^HTTP\/1\.1 200 /)
  expect(seen[0]?.headers).not.toHaveProperty('content-length')
  expect(await ask('GET')).toBe(200)
  expect(seen).toHaveLength(2)
})

test('a HEAD leaves its connections for the next request, inside and outside', async () => {
  const agent = new Agent({ keepAlive: true })
  const reused: boolean[] = []
  for (let count = 0; count < 4; count += 1) {
    const asked = request(`${server.url}/v1/relay`, { method: 'HEAD', agent })
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      asked.once('response', resolve).once('error', reject).end()
    })
    await new Promise((resolve) => answer.resume().once('end', resolve))
    reused.push(asked.reusedSocket)
    // The connection is given back after the end was told.
    await new Promise((resolve) => setImmediate(resolve))
  }
  agent.destroy()
  expect(reused).toEqual([false, true, true, true])
  expect(connections).toBeLessThanOrEqual(1)
})

test('a request that never left is told from one that may have arrived', async () => {
  const failing = async (dial: () => Promise<Socket>) => {
    const lost = createMachineAgents(dial)
    const served = await serveForTest([
      handle(open, async ({ request: { incoming }, outgoing }) => {
        const relay = { incoming, outgoing, target, headers: headersInto(incoming, target, 'http://localhost') }
        const sent = relayRequest(lost, { ...relay, body: Buffer.from('x'), ...timing })
        outgoing.setHeader('x-unsent', String(await sent.then(() => 'answered', wasNeverSent)))
        outgoing.end()
        return undefined
      }),
    ])
    const answer = await fetch(`${served.url}/v1/relay`)
    lost.stop()
    await served.stop()
    return answer.headers.get('x-unsent')
  }
  expect(await failing(() => Promise.reject(new Error('no machine')))).toBe('true')
  const cutting = createNetServer((socket) => socket.once('data', () => socket.destroy()))
  await new Promise<void>((resolve) => cutting.listen(0, '127.0.0.1', resolve))
  const { port } = cutting.address() as AddressInfo
  expect(await failing(async () => connect(port, '127.0.0.1'))).toBe('false')
  cutting.close()
})
