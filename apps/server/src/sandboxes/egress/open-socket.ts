import { chmod, lchown, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Authorities } from './authorities.ts'
import { createMachineGate, type GateOptions } from './machine-gate.ts'
import type { PlatformApi } from './platform-api.ts'
import { forwardHeaders } from './raw-headers.ts'
import { answerRefusal, badRequest, explainDialError, refuseSocket } from './refusal.ts'
import { joinStreams, relayRequest } from './relay-request.ts'
import type { Substitution } from './substitution.ts'
import { readAbsoluteUrl, readAuthority, type Target, writeAuthority } from './target.ts'
import { createTerminator } from './terminate-tls.ts'

export interface OpenOptions extends GateOptions {
  readonly socketPath: string
  /** Who may connect besides this process's own user. */
  readonly uid?: number
  readonly platformApi: PlatformApi
  readonly authorities: Authorities
  readonly substitution: Substitution | undefined
  readonly trust?: string
}

export interface EgressSocket {
  /** Ends every connection of the machine and removes the socket. Safe to call twice. */
  close(): Promise<void>
}

const maxConnections = 2_048
/** The least of the systems we run on; longer paths are cut off silently by some. */
const maxSocketPathBytes = 103

/** One machine's way out. Whoever can connect to the socket is that machine; there is no other proof. */
export async function openEgressSocket(options: OpenOptions): Promise<EgressSocket> {
  const { socketPath, machine, platformApi, authorities, substitution, trust, uid } = options
  const gate = createMachineGate(options)
  const terminator = substitution && createTerminator({ machine, gate, substitution, ...(trust ? { trust } : {}) })

  async function tunnel(target: Target, client: Duplex, head: Buffer): Promise<void> {
    if (terminator && (await substitution.terminates(machine, target))) {
      const context = await (await authorities.of(machine.projectId)).contextFor(target.host)
      client.write(established)
      if (head.length > 0) client.unshift(head)
      return terminator.take(client, target, context)
    }
    const { socket, end } = await gate.pass(target)
    if (client.destroyed) {
      socket.destroy()
      return end('cut')
    }
    client.write(established)
    if (head.length > 0) socket.write(head)
    joinStreams(client, socket, (error) => end(error ? 'cut' : 'ok'))
  }

  async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const found = readAbsoluteUrl(request.url ?? '')
    if (!found) return answerRefusal(response, badRequest)
    const { target, url } = found
    const { socket, end } = await gate.pass(target)
    const own = forwardHeaders(request.rawHeaders, (name) => name === 'host')
    const host = target.port === 80 ? writeAuthority(target).replace(/:80$/, '') : writeAuthority(target)
    const onward = {
      via: { createConnection: () => socket },
      path: url.pathname + url.search,
      rawHeaders: ['Host', host, ...own, 'Connection', 'close'],
    }
    try {
      await relayRequest(request, response, onward)
      end(response.writableFinished ? 'ok' : 'cut')
    } catch (error) {
      end('cut')
      answerRefusal(response, explainDialError(error, target))
    } finally {
      socket.destroy()
    }
  }

  const server = createServer({ requestTimeout: 0, headersTimeout: 30_000, keepAliveTimeout: 65_000 })
  server.maxConnections = maxConnections
  server.on('request', (request, response) => {
    if (request.url?.startsWith('/')) return void platformApi.request(request, response)
    forward(request, response).catch((error: unknown) => answerRefusal(response, explainDialError(error, nowhere)))
  })
  server.on('connect', (request: IncomingMessage, client: Duplex, head: Buffer) => {
    client.on('error', () => client.destroy())
    const target = readAuthority(request.url ?? '')
    if (!target) return refuseSocket(client, badRequest)
    tunnel(target, client, head).catch((error: unknown) => refuseSocket(client, explainDialError(error, target)))
  })
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy())
    const isWebSocket = request.method === 'GET' && /^websocket$/i.test(request.headers.upgrade ?? '')
    if (!request.url?.startsWith('/') || !isWebSocket) {
      return refuseSocket(socket, badRequest)
    }
    void platformApi.upgrade(request, socket, head)
  })
  server.on('clientError', (_error, socket) => socket.destroy())
  const connections = trackConnections(server)
  await listen(server, socketPath, uid)
  let closing: Promise<void> | undefined
  return {
    close() {
      closing ??= closeServer(server, connections, socketPath).finally(() => terminator?.stop())
      return closing
    },
  }
}

const established = 'HTTP/1.1 200 Connection Established\r\n\r\n'
const nowhere: Target = { host: 'The host', port: 0 }

/** Tunnels leave the server's own list, so it is kept here. */
function trackConnections(server: Server): Set<Socket> {
  const connections = new Set<Socket>()
  server.on('connection', (socket) => {
    connections.add(socket)
    socket.once('close', () => connections.delete(socket))
  })
  return connections
}

async function listen(server: Server, path: string, uid: number | undefined): Promise<void> {
  if (Buffer.byteLength(path) > maxSocketPathBytes) {
    throw new Error(
      `The socket path ${path} is longer than ${maxSocketPathBytes} bytes. Choose a shorter SVC_DATA_DIR.`,
    )
  }
  await rm(path, { force: true })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ path, backlog: maxConnections }, () => {
      server.off('error', reject)
      resolve()
    })
  })
  await chmod(path, 0o600)
  // Never through a link: whoever owns the folder could have put one there.
  if (uid !== undefined) await lchown(path, uid, uid)
}

async function closeServer(server: Server, connections: Set<Socket>, path: string): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  for (const socket of connections) socket.destroy()
  await closed
  await rm(path, { force: true })
}
