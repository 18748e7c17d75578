import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { authenticate } from '../auth/authenticate.ts'
import type { Daemon } from '../daemon.ts'
import { Refusal, sendError } from './reply.ts'
import { findRoute, type Route } from './route.ts'

export interface Handlers {
  readonly routes: readonly Route[]
  /** Takes what no route matches. */
  readonly fallback: Route
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void>
  connect(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void>
}

/** The daemon's HTTP server. Bodies stream for as long as they take; only the header has a deadline. */
export function createHttpServer(daemon: Daemon, handlers: Handlers): Server {
  const server = createServer(
    { requestTimeout: 0, headersTimeout: 60_000, keepAliveTimeout: 120_000 },
    (request, response) => {
      handle(daemon, handlers, request, response).catch((error: unknown) => sendError(response, error))
    },
  )
  server.timeout = 0
  server.on('upgrade', (request, socket, head) => {
    guard(socket)
    handlers.upgrade(request, socket, head).catch((error: unknown) => sendRawError(socket, error))
  })
  server.on('connect', (request, socket, head) => {
    guard(socket)
    handlers.connect(request, socket, head).catch((error: unknown) => sendRawError(socket, error))
  })
  return server
}

async function handle(daemon: Daemon, handlers: Handlers, request: IncomingMessage, response: ServerResponse) {
  const url = parseUrl(request)
  const found = findRoute(handlers.routes, request.method ?? 'GET', url.pathname)
  const route = found?.route ?? handlers.fallback
  const context = authenticate(request.headers, route.access, daemon.boot?.serviceKey)
  await route.handle({ request, response, url, params: found?.params ?? {}, context })
}

export function parseUrl(request: IncomingMessage): URL {
  try {
    return new URL(request.url ?? '/', 'http://sandbox')
  } catch {
    throw new Refusal(400, { error: 'This path cannot be read.', code: 'bad_request' })
  }
}

/** A peer may vanish at any moment of a handshake; that ends this socket and nothing else. */
function guard(socket: Duplex): void {
  socket.on('error', () => socket.destroy())
}

function sendRawError(socket: Duplex, error: unknown): void {
  const refusal =
    error instanceof Refusal ? error : new Refusal(502, { error: 'Nothing is listening there.', code: 'unreachable' })
  const body = JSON.stringify(refusal.body)
  const head = [
    `HTTP/1.1 ${refusal.status} Refused`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}
