import { randomBytes, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Duplex, pipeline } from 'node:stream'
import { type AddressPolicy, createGuardedConnector } from '../../kernel/outbound/index.ts'

export interface ConnectProxy {
  /** With its password; hand it to nobody but git. */
  readonly url: string
  stop(): Promise<void>
}

/**
 * The way out for git: a CONNECT proxy on loopback that dials only addresses the outbound policy allows. It asks for a
 * password of this process, so that nobody else on the machine gains a way around anything by it.
 */
export async function startConnectProxy(policy: AddressPolicy): Promise<ConnectProxy> {
  const password = randomBytes(24).toString('base64url')
  const expected = Buffer.from(`Basic ${Buffer.from(`git:${password}`).toString('base64')}`)
  const dial = createGuardedConnector({ policy })
  const server = createServer((_request, response) => void response.writeHead(405).end())
  server.on('connect', (request: IncomingMessage, client: Duplex, head: Buffer) => {
    client.on('error', () => client.destroy())
    const refuse = (status: string): void => {
      client.end(`HTTP/1.1 ${status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`, () => client.destroy())
    }
    const target = readTarget(request.url ?? '')
    // git asks without its password first, and again with it once it was told how.
    if (!isSame(request.headers['proxy-authorization'], expected)) {
      return refuse('407 Proxy Authentication Required\r\nproxy-authenticate: Basic realm="git"')
    }
    if (!target) return refuse('400 Bad Request')
    dial({ ...target, protocol: 'http:', host: target.hostname }, (error, upstream) => {
      if (error || !upstream) return refuse('403 Forbidden')
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n')
      if (head.length > 0) upstream.write(head)
      const end = () => {
        client.destroy()
        upstream.destroy()
      }
      pipeline(client, upstream, end)
      pipeline(upstream, client, end)
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  server.unref()
  const { port } = server.address() as AddressInfo
  return {
    url: `http://git:${password}@127.0.0.1:${port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function readTarget(authority: string): { hostname: string; port: string } | undefined {
  const match = /^(\[[0-9a-f:.]+\]|[a-z0-9.-]+):(\d{1,5})$/i.exec(authority)
  if (!match?.[1] || !match[2]) return undefined
  return { hostname: match[1].replace(/^\[|\]$/g, ''), port: match[2] }
}

function isSame(given: string | undefined, expected: Buffer): boolean {
  const bytes = Buffer.from(given ?? '')
  return bytes.length === expected.length && timingSafeEqual(bytes, expected)
}
