import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { createServer as createTcpServer, type Server } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect as connectTls, createServer as createTlsServer } from 'node:tls'
import { afterAll, describe, expect, test } from 'vitest'
import { systemActor } from '../../kernel/actor.ts'
import { HOSTILE_HOSTS } from '../../kernel/outbound/testing/hostile-hosts.ts'
import { isAllowEntry, isAllowed } from './allow-list.ts'
import { makeAuthority, openAuthority } from './authority.ts'
import { createConnectionLog } from './connection-log.ts'
import { egressRulesChanged } from './index.ts'
import { listenOnLoopback, openTunnel, startEgressWorld } from './testing/egress-world.ts'

const servers: Server[] = []
async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<number> {
  const server = createServer(answer)
  servers.push(server)
  return listenOnLoopback(server)
}
async function serveTcp(accept: Parameters<typeof createTcpServer>[1]): Promise<number> {
  const server = createTcpServer({ allowHalfOpen: true }, accept)
  servers.push(server)
  return listenOnLoopback(server)
}

const world = await startEgressWorld({ open: ['127.0.0.1/32'] })
afterAll(async () => {
  await world.stop()
  for (const server of servers) server.close()
})

interface Got {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** One request through the proxy, as a client with HTTP_PROXY sends it. */
function ask(
  socketPath: string,
  path: string,
  {
    method = 'GET',
    body,
    headers = {},
  }: { method?: string; body?: string | Buffer; headers?: Record<string, string> } = {},
): Promise<Got> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ socketPath, path, method, headers }, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
      })
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: text }))
      answer.on('error', reject)
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

describe('what a sandbox can do', () => {
  test('it speaks TLS with a public host end to end, and the connection is logged with its bytes', async () => {
    const now = Date.now()
    const authority = await openAuthority(await makeAuthority('the host’s own authority', now))
    const server = createTlsServer({
      SNICallback: (name, done) => void authority.contextFor(name).then((c) => done(null, c)),
    })
    server.on('secureConnection', (socket) => socket.end('hello over TLS'))
    servers.push(server)
    const port = await listenOnLoopback(server)
    const machine = await world.openMachine()
    const { socket, status } = await openTunnel(machine.socketPath, `api.example.com:${port}`)
    expect(status).toBe(200)
    const secured = connectTls({ socket, servername: 'api.example.com', ca: authority.certificatePem })
    let text = ''
    for await (const chunk of secured.setEncoding('utf8')) text += chunk
    expect(text).toBe('hello over TLS')
    expect(secured.authorized).toBe(true)
    await expect
      .poll(() => world.readLog(machine.sandboxId))
      .toMatchObject([{ host: 'api.example.com', port, connections: 1 }])
    const [row] = await world.readLog(machine.sandboxId)
    expect(row?.bytesIn).toBeGreaterThan(500)
    expect(row?.bytesOut).toBeGreaterThan(100)
    await machine.close()
  })

  test('it sends plain requests with bodies, and the host sees its own name and none of the proxy’s headers', async () => {
    const port = await serve(async (incoming, response) => {
      let text = ''
      for await (const chunk of incoming.setEncoding('utf8')) text += chunk
      response.writeHead(201, ['Set-Cookie', 'a=1', 'Set-Cookie', 'b=2'])
      response.end(JSON.stringify({ method: incoming.method, url: incoming.url, headers: incoming.headers, text }))
    })
    const machine = await world.openMachine()
    const url = `http://plain.example:${port}/a/b?c=d`
    const headers = { 'Proxy-Authorization': 'Basic x', Connection: 'X-Hop', 'X-Hop': '1', 'X-Own': '2' }
    const got = await ask(machine.socketPath, url, { method: 'POST', body: 'a body', headers })
    expect(got.status).toBe(201)
    expect(got.headers['set-cookie']).toEqual(['a=1', 'b=2'])
    const seen = JSON.parse(got.body)
    expect(seen).toMatchObject({ method: 'POST', url: '/a/b?c=d', text: 'a body' })
    expect(seen.headers).toMatchObject({ host: `plain.example:${port}`, 'x-own': '2' })
    expect(Object.keys(seen.headers)).not.toEqual(expect.arrayContaining(['proxy-authorization']))
    expect(Object.keys(seen.headers)).not.toEqual(expect.arrayContaining(['x-hop']))
    await expect
      .poll(() => world.readLog(machine.sandboxId))
      .toMatchObject([{ host: 'plain.example', port, connections: 1, outcome: 'ok' }])
    const [row] = await world.readLog(machine.sandboxId)
    expect(row?.bytesIn).toBeGreaterThan(got.body.length)
    expect(row?.bytesOut).toBeGreaterThan('a body'.length)
    await machine.close()
  })

  test('events of a stream arrive one by one while it is open', async () => {
    let next: (() => void) | undefined
    const port = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('data: 1\n\n')
      next = () => response.end('data: 2\n\n')
    })
    const machine = await world.openMachine()
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      request({ socketPath: machine.socketPath, path: `http://sse.example:${port}/` }, resolve)
        .on('error', reject)
        .end()
    })
    const chunks: string[] = []
    for await (const chunk of answer.setEncoding('utf8')) {
      chunks.push(chunk)
      next?.()
    }
    expect(chunks).toEqual(['data: 1\n\n', 'data: 2\n\n'])
    await machine.close()
  })

  test('a refused upload gets its answer although the host stopped reading', async () => {
    const port = await serve((_, response) => {
      response.writeHead(413, { connection: 'close' }).end('too much')
    })
    const machine = await world.openMachine()
    const body = Buffer.alloc(8 * 1024 * 1024)
    const got = await ask(machine.socketPath, `http://upload.example:${port}/`, { method: 'PUT', body })
    expect([got.status, got.body]).toEqual([413, 'too much'])
    await machine.close()
  })
})

describe('what a sandbox cannot do', () => {
  test(`none of ${HOSTILE_HOSTS.length} hostile hosts is reached, by tunnel or by request, even where an operator opened this machine`, async () => {
    let reached = 0
    const port = await serveTcp((socket) => {
      reached += 1
      socket.destroy()
    })
    const closed = await startEgressWorld({
      env: { SVC_ALLOW_PRIVATE_HOSTS: '127.0.0.1,localhost,::1,169.254.0.0/16' },
    })
    const machine = await closed.openMachine()
    const outcomes: [string, string, number][] = []
    for (const host of HOSTILE_HOSTS) {
      const { status } = await openTunnel(machine.socketPath, `${host}:${port}`).catch(() => ({ status: 0 }))
      outcomes.push([host, 'CONNECT', status])
      const { status: plain } = await ask(machine.socketPath, `http://${host}:${port}/`).catch(() => ({ status: 0 }))
      outcomes.push([host, 'GET', plain])
    }
    expect(outcomes.filter(([, , status]) => ![403, 400, 0].includes(status))).toEqual([])
    expect(reached).toBe(0)
    const logged = await closed.readLog(machine.sandboxId)
    expect(new Set(logged.map(({ outcome }) => outcome))).toEqual(new Set(['refused_address']))
    await closed.stop()
  })

  test('a name that changes its answer is asked once, and the address that was checked is the one that is dialled', async () => {
    let asked = 0
    const port = await serveTcp((socket) => socket.end('reached'))
    const rebinding = await startEgressWorld({
      open: ['127.0.0.1/32'],
      resolve: async () => (asked++ === 0 ? ['10.0.0.1'] : ['127.0.0.1']),
    })
    const machine = await rebinding.openMachine()
    const first = await openTunnel(machine.socketPath, `rebind.example:${port}`)
    expect(first.status).toBe(403)
    expect(first.body).not.toContain('10.0.0.1')
    expect(asked).toBe(1)
    await rebinding.stop()
  })

  test.each(['', 'host', 'host:0', 'host:65536', 'user@host:1', 'host:1/x', '/v1', 'http://host:1'])(
    'a tunnel to "%s" is not understood',
    async (authority) => {
      const machine = await world.openMachine()
      const { status } = await openTunnel(machine.socketPath, authority).catch(() => ({ status: 400 }))
      expect(status).toBe(400)
      await machine.close()
    },
  )

  test('a host that is not on the project’s list is refused at once after the list was set, and allowed again after', async () => {
    const port = await serve((_, response) => response.end('reached'))
    const machine = await world.openMachine()
    const get = (host: string) => ask(machine.socketPath, `http://${host}:${port}/`)
    expect((await get('any.example')).status).toBe(200)
    await setRules(machine.projectId, ['api.example.com', '*.pkg.example'])
    await expect.poll(async () => (await get('any.example')).status).toBe(403)
    expect((await get('api.example.com')).status).toBe(200)
    expect((await get('a.pkg.example')).status).toBe(200)
    const refused = await get('xpkg.example')
    expect(JSON.parse(refused.body)).toMatchObject({
      code: 'egress_not_allowed',
      next: expect.stringContaining('manager'),
    })
    expect((await openTunnel(machine.socketPath, `any.example:${port}`)).status).toBe(403)
    await setRules(machine.projectId, undefined)
    await expect.poll(async () => (await get('any.example')).status).toBe(200)
    expect((await world.readLog(machine.sandboxId)).some(({ outcome }) => outcome === 'refused_rules')).toBe(true)
    await machine.close()
  })

  async function setRules(projectId: string, allow: string[] | undefined): Promise<void> {
    const { sql } = world.database
    if (allow) {
      await sql`insert into svc.egress_rules (project_id, account_id, allow) values (${projectId}, ${world.accountId}, ${allow})`
    } else await sql`delete from svc.egress_rules where project_id = ${projectId}`
    await world.kernel.database.transact(systemActor, (tx) =>
      tx.publish(egressRulesChanged.event({ project_id: projectId })),
    )
  }
})

describe('the list of allowed hosts', () => {
  test.each([
    ['api.example.com', 'api.example.com', 443, true],
    ['API.example.com.', 'api.example.com', 443, true],
    ['api.example.com', 'xapi.example.com', 443, false],
    ['api.example.com', 'api.example.com.evil.example', 443, false],
    ['*.example.com', 'a.b.example.com', 443, true],
    ['*.example.com', 'example.com', 443, false],
    ['*.example.com', 'evilexample.com', 443, false],
    ['api.example.com:8443', 'api.example.com', 443, false],
    ['api.example.com:8443', 'api.example.com', 8443, true],
    ['[2606:4700::1111]:443', '2606:4700::1111', 443, true],
    ['1.1.1.1', '1.1.1.1', 53, true],
  ])('%s against %s:%i is %s', (entry, host, port, allowed) => {
    expect(isAllowEntry(entry)).toBe(true)
    expect(isAllowed([entry], { host, port })).toBe(allowed)
  })

  test.each([
    '',
    '*',
    '*.',
    'a b',
    'http://a',
    'a/b',
    'u@a',
    '*.*.example',
    '*.1.2.3.4',
    'a:0',
    'a:99999',
    'a:b',
    '*.com',
  ])('"%s" is no entry', (entry) => expect(isAllowEntry(entry)).toBe(false))
})

describe('many and broken connections', () => {
  const count = process.env.SVC_TEST_LONG === '1' ? 1_000 : 200

  test(`${count} tunnels at once all carry their own bytes`, async () => {
    const port = await serveTcp((socket) => socket.on('error', () => socket.destroy()).pipe(socket))
    const machine = await world.openMachine()
    const echo = async (at: number) => {
      const { socket } = await openTunnel(machine.socketPath, `echo.example:${port}`)
      socket.end(`number ${at}`)
      let text = ''
      for await (const chunk of socket.setEncoding('utf8')) text += chunk
      return text
    }
    const texts = await Promise.all(Array.from({ length: count }, (_, at) => echo(at)))
    expect(texts).toEqual(Array.from({ length: count }, (_, at) => `number ${at}`))
    await expect
      .poll(async () => (await world.readLog(machine.sandboxId)).reduce((sum, row) => sum + row.connections, 0))
      .toBe(count)
    await machine.close()
  })

  test('a machine that is closed leaves no connection behind on either side', async () => {
    let open = 0
    const port = await serveTcp((socket) => {
      open += 1
      socket.on('error', () => socket.destroy())
      socket.on('end', () => socket.end())
      socket.on('close', () => {
        open -= 1
      })
      socket.resume()
    })
    const machine = await world.openMachine()
    const clients = await Promise.all(
      Array.from({ length: 20 }, () => openTunnel(machine.socketPath, `a.example:${port}`)),
    )
    await expect.poll(() => open).toBe(20)
    await machine.close()
    await machine.close()
    await expect.poll(() => open).toBe(0)
    await expect.poll(() => clients.every(({ socket }) => socket.destroyed)).toBe(true)
    await expect.poll(() => world.readLog(machine.sandboxId)).toMatchObject([{ outcome: 'cut', connections: 20 }])
  })

  test('a client that reads nothing holds the sender up and takes no memory', async () => {
    let written = 0
    const port = await serveTcp((socket) => {
      socket.on('error', () => socket.destroy())
      const chunk = Buffer.alloc(256 * 1024)
      const write = () => {
        while (!socket.destroyed && written < 400 * 1024 * 1024) {
          written += chunk.length
          if (!socket.write(chunk)) return void socket.once('drain', write)
        }
      }
      write()
    })
    const machine = await world.openMachine()
    const { socket } = await openTunnel(machine.socketPath, `flood.example:${port}`)
    socket.pause()
    let before = -1
    while (before !== written) {
      before = written
      await sleep(150)
    }
    expect(written).toBeLessThan(64 * 1024 * 1024)
    await machine.close()
  })

  test('a machine that talks to thousands of hosts gets a bounded log in which every connection is counted', async () => {
    const machine = await world.openMachine()
    await world.egress.flushLog()
    const rows: { host: string; connections: number }[] = []
    const log = createConnectionLog({
      write: async (batch) => void rows.push(...batch),
      clock: world.kernel.clock,
      log: world.kernel.log,
      everyMs: 60_000,
    })
    for (let at = 0; at < 5_000; at++) {
      log.note({
        projectId: machine.projectId,
        sandboxId: machine.sandboxId,
        target: { host: `h${at}.example`, port: 443 },
        outcome: 'ok',
        bytesIn: 1,
        bytesOut: 1,
        startedAt: new Date(),
      })
    }
    await log.stop()
    expect(rows.length).toBeLessThanOrEqual(201)
    expect(rows.reduce((sum, row) => sum + row.connections, 0)).toBe(5_000)
    await machine.close()
  })

  test('a socket path the system would cut off is refused with the fix', async () => {
    const machine = { sandboxId: 'x', projectId: 'y', socketPath: `/tmp/${'x'.repeat(120)}` }
    await expect(world.egress.open(machine)).rejects.toThrow(/SVC_DATA_DIR/)
  })
})
