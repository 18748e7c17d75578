import { randomUUID } from 'node:crypto'
import { createServer, type Server, STATUS_CODES } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { getRequestListener, type HttpBindings } from '@hono/node-server'
import type { ProblemCode } from '@svc/contract'
import type { Hono } from 'hono'
import { StartError } from '../start-error.ts'
import { renderProblem } from './envelope.ts'
import { type Problem, problem } from './problem.ts'
import { baseHeaders } from './response-headers.ts'

export interface ServeOptions {
  readonly app: Hono<{ Bindings: HttpBindings }>
  readonly host: string
  readonly port: number
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

export async function serveHttp({ app, host, port, onError }: ServeOptions): Promise<HttpServer> {
  const listener = getRequestListener(app.fetch as never, {
    hostname: 'localhost',
    overrideGlobalObjects: true,
    errorHandler: answerUnreadable,
  })
  // No bound on whole requests: a push or an upload takes as long as it takes. Documents have theirs where they are read.
  const server = createServer({ maxHeaderSize: maxHeaderBytes, requestTimeout: 0, headersTimeout: 20_000 }, listener)
  server.keepAliveTimeout = 65_000
  server.maxHeadersCount = 100
  server.on('clientError', answerClientError)
  await listen(server, host, port)
  // A connection that could not be accepted is its caller's loss, not the end of the server.
  server.on('error', (error) => onError?.(error))
  return {
    port: (server.address() as AddressInfo).port,
    server,
    drain: (withinMs) => drain(server, withinMs),
  }
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(explainListenError(error, host, port)))
    server.listen(port, host, () => {
      server.removeAllListeners('error')
      resolve()
    })
  })
}

function explainListenError(error: NodeJS.ErrnoException, host: string, port: number): Error {
  if (error.code === 'EADDRINUSE') {
    return new StartError(
      `Port ${port} on ${host} is taken by another program.`,
      'Stop that program, or choose another port: PORT=8009 npm start',
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
  const refusal = problem(clientErrors[error.code ?? ''] ?? 'malformed_request')
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
