import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, ServerResponse, STATUS_CODES } from 'node:http'
import { type AddressInfo, createServer as createNetServer, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { getRequestListener, type HttpBindings } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { ProblemCode } from '@svc/contract'
import { StartError } from '../start-error.ts'
import type { App } from './create-app.ts'
import { renderProblem } from './envelope.ts'
import type { HttpContext } from './pass.ts'
import { type Problem, problem } from './problem.ts'
import { baseHeaders } from './response-headers.ts'

export interface ServeOptions {
  readonly app: App
  readonly host: string
  readonly port: number
  /** Sees every request before any route does; may point it elsewhere by changing its URL. */
  readonly onRequest?: (incoming: IncomingMessage) => void
  /** Told about faults of the listening socket after the start. */
  readonly onError?: (error: Error) => void
}

export interface HttpServer {
  readonly port: number
  readonly server: Server
  /** Takes no new request, lets those in flight finish within the bound, then closes what is left. */
  drain(withinMs: number): Promise<void>
}

const maxHeaderBytes = 16 * 1024

export async function serveHttp({ app, host, port, onRequest, onError }: ServeOptions): Promise<HttpServer> {
  const answer = getRequestListener(keepSent(app.router) as never, {
    hostname: 'localhost',
    overrideGlobalObjects: true,
    errorHandler: answerUnreadable,
  })
  const listener = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    onRequest?.(incoming)
    const direct = isPlainHost(incoming.headers.host) ? app.direct.get(`${incoming.method} ${incoming.url}`) : undefined
    return direct ? answerDirectly(direct, answer, incoming, outgoing) : answer(incoming, outgoing)
  }
  // No bound on whole requests: a push or an upload takes as long as it takes. Documents have theirs where they are read.
  const server = createServer({ maxHeaderSize: maxHeaderBytes, requestTimeout: 0, headersTimeout: 20_000 }, listener)
  server.keepAliveTimeout = 65_000
  server.maxHeadersCount = 100
  server.on('clientError', answerClientError)
  server.on('upgrade', (incoming, socket, head) => {
    // Node reads no body of an upgrade, so that of a write would never arrive.
    if (incoming.method !== 'GET') return refuseRaw(socket, problem('malformed_request'))
    void listener(incoming, answerOn(incoming, socket, head))
  })
  await listen(server, host, port)
  // A connection that could not be accepted is its caller's loss, not the end of the server.
  server.on('error', (error) => onError?.(error))
  return {
    port: (server.address() as AddressInfo).port,
    server,
    drain: (withinMs) => drain(server, withinMs),
  }
}

type Listener = (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>

/** Answers that were found without the router and wait to be sent by the listener. */
const answered = new WeakMap<IncomingMessage, Promise<Response>>()

/** What the handler has sent is done, but for what is left of the body. A refusal takes the same way out as everything else. */
async function answerDirectly(
  direct: (context: HttpContext) => Promise<Response>,
  listener: Listener,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const path = incoming.url ?? ''
  const found = direct({ env: { incoming, outgoing }, req: { path, url: path, param: () => ({}) } })
  const isSent = await found.then(
    (response) => response === RESPONSE_ALREADY_SENT,
    () => false,
  )
  if (!isSent) {
    answered.set(incoming, found)
    await listener(incoming, outgoing)
  } else if (outgoing.writableFinished) dropRest(incoming)
  else outgoing.once('close', () => dropRest(incoming))
}

const dropMs = 500

/** A body that was not read to its end would keep the connection from the next request; one without end gets no more. */
function dropRest(incoming: IncomingMessage): void {
  if (incoming.readableEnded || incoming.destroyed) return
  const late = setTimeout(() => incoming.socket.destroySoon(), dropMs).unref()
  incoming.once('end', () => clearTimeout(late)).once('close', () => clearTimeout(late))
  incoming.resume()
}

/** Of any other spelling the router's request object says whether it can be read. */
function isPlainHost(host: string | undefined): boolean {
  return host !== undefined && plainHost.test(host)
}

const plainHost = /^[a-z0-9.-]+(:\d{1,4}|:[1-5]\d{4})?$/i

const sentMark = 'x-hono-already-sent'

/**
 * Hono makes a new response of every answer to HEAD. Of one that a handler has sent itself the mark is kept, or it
 * would be sent a second time and its connection be cut.
 */
function keepSent(router: App['router']) {
  return (request: Request, bindings: HttpBindings): Response | Promise<Response> => {
    const found = answered.get(bindings.incoming) ?? router.fetch(request, bindings)
    if (bindings.incoming.method !== 'HEAD') return found
    return Promise.resolve(found).then((response) =>
      response.headers.has(sentMark) ? RESPONSE_ALREADY_SENT : response,
    )
  }
}

/**
 * An upgrade takes the same pass as every request: it is authenticated, authorised and recorded, and a refusal is an
 * ordinary answer. A handler that accepts it takes the socket off the response; otherwise the connection ends with it.
 */
function answerOn(incoming: IncomingMessage, socket: Duplex, head: Buffer): ServerResponse {
  if (head.length > 0) socket.unshift(head)
  socket.on('error', () => socket.destroy())
  const outgoing = new ServerResponse(incoming)
  outgoing.shouldKeepAlive = false
  // Node hands over the very socket it accepted; its types only promise a stream.
  outgoing.assignSocket(socket as Socket)
  outgoing.once('finish', () => {
    if (outgoing.socket) socket.end()
  })
  return outgoing
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => explainListenError(error, host, port).then(reject, reject))
    server.listen(port, host, () => {
      server.removeAllListeners('error')
      resolve()
    })
  })
}

async function explainListenError(error: NodeJS.ErrnoException, host: string, port: number): Promise<Error> {
  if (error.code === 'EADDRINUSE') {
    return new StartError(
      `Port ${port} on ${host} is taken by another program.`,
      `Stop that program, or choose another port: PORT=${await findFreePort(host)} npm start`,
      { cause: error },
    )
  }
  if (error.code === 'EACCES') {
    return new StartError(`Port ${port} may not be used by this user.`, 'Choose a port above 1023: PORT=8008', {
      cause: error,
    })
  }
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND') {
    return new StartError(`HOST: ${host} is not an address of this machine.`, 'Set HOST=127.0.0.1 or HOST=0.0.0.0', {
      cause: error,
    })
  }
  return error
}

/** A port that was free a moment ago, for a command that works when it is copied. */
async function findFreePort(host: string): Promise<number> {
  const probe = createNetServer()
  await new Promise<void>((resolve, reject) => probe.once('error', reject).listen(0, host, resolve))
  const address = probe.address()
  await new Promise((resolve) => probe.close(resolve))
  return typeof address === 'object' && address !== null ? address.port : 0
}

async function drain(server: Server, withinMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  server.closeIdleConnections()
  const idle = setInterval(() => server.closeIdleConnections(), 50)
  const bound = setTimeout(() => server.closeAllConnections(), withinMs)
  await closed
  clearInterval(idle)
  clearTimeout(bound)
}

/** A request whose URL or Host cannot be made sense of: refused before any route is tried. */
function answerUnreadable(error: unknown): Response {
  const refusal = problem('malformed_request', {
    say: 'The request target or Host header cannot be read.',
    cause: error,
  })
  const { body, headers } = renderRaw(refusal)
  return new Response(body, { status: refusal.status, headers })
}

const clientErrors: Record<string, ProblemCode> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}

/** Bytes that are not HTTP never reach the application; the caller still gets the envelope. */
function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  // Bytes in the middle of another answer would be taken for a part of it.
  if (error.code === 'ECONNRESET' || !socket.writable || isAnswering(socket)) {
    socket.destroy()
    return
  }
  refuseRaw(socket, problem(clientErrors[error.code ?? ''] ?? 'malformed_request'))
}

function refuseRaw(socket: Duplex, refusal: Problem): void {
  const { body, headers } = renderRaw(refusal)
  const lines = Object.entries({ ...headers, 'content-length': String(Buffer.byteLength(body)), connection: 'close' })
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  socket.end(`HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status] ?? ''}\r\n${head}\r\n${body}`)
}

/** Node keeps the response that is being written on its socket. */
function isAnswering(socket: Socket & { _httpMessage?: { headersSent: boolean } | null }): boolean {
  return socket._httpMessage?.headersSent === true
}

function renderRaw(refusal: Problem): { body: string; headers: Record<string, string> } {
  const requestId = randomUUID()
  return {
    body: JSON.stringify(renderProblem(refusal, '/v1/', requestId)),
    headers: { ...baseHeaders('/v1/'), 'content-type': 'application/json; charset=utf-8', 'x-request-id': requestId },
  }
}
