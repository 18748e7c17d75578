import {
  type ClientRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request,
  type ServerResponse,
} from 'node:http'
import type { Duplex } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { problem } from '../kernel/http/index.ts'
import { PortStream } from '../sandboxes/index.ts'
import { failAt, failConnecting } from './explain-failure.ts'
import type { MachineAgents } from './machine-agents.ts'
import { passBody } from './pass-body.ts'
import { headersOut } from './pass-headers.ts'
import type { PortAgent } from './port-agent.ts'
import { daemonPort, type Target } from './read-target.ts'

export interface Relay {
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
  readonly target: Target
  readonly headers: OutgoingHttpHeaders
  /** A body that had to be read before; otherwise the request's own streams through. */
  readonly body: Buffer | undefined
  readonly maxBodyBytes: number
  /** How long the first header may take. */
  readonly firstHeaderMs: number
  readonly lateCode: 'sandbox_timeout' | 'long_turn_proxy_timeout'
}

const unsent = new WeakSet<object>()

/** Whether a relay failed before any of its request had left. */
export function wasNeverSent(error: unknown): boolean {
  return typeof error === 'object' && error !== null && unsent.has(error)
}

/**
 * Passes one request on and its answer back, both as they come: nothing is held in memory but what is on its way.
 * Resolves with the status of the answer.
 */
export async function relayRequest(agents: MachineAgents, relay: Relay): Promise<number> {
  const { incoming, outgoing, target } = relay
  const sent = await send(agents, relay)
  const { answered } = sent
  outgoing.writeHead(answered.statusCode ?? 502, headersOut(answered, target))
  try {
    if (incoming.method === 'HEAD') {
      // Read to its end all the same, or its connection would never be free again.
      answered.resume()
      outgoing.end()
    } else if (answered.complete) {
      // Most small answers are there whole when their head has been read, and go out with it in one piece.
      outgoing.end(answered.read())
    } else await passBody(answered, outgoing, (connection) => keepConnection(connection, sent))
  } catch (error) {
    // Half an answer: the cut connection tells the reader that it is not whole. A reader who left needs no telling.
    if (!outgoing.destroyed) outgoing.destroy(error instanceof Error ? error : undefined)
  }
  return answered.statusCode ?? 502
}

interface Sent {
  readonly answered: IncomingMessage
  readonly outbound: ClientRequest
  readonly agent: PortAgent
}

/** Only after a request that was sent to its end: the rest of a body would be read as the next request. */
async function keepConnection(connection: PortStream, { answered, outbound, agent }: Sent): Promise<void> {
  if (!outbound.shouldKeepAlive || !outbound.writableFinished || !connection.mayBeKept) return
  const renewed = await connection.renew()
  if (renewed) agent.keep(renewed, answered.headers['keep-alive'])
}

/** Of a program that was started anew several kept connections may have ended. */
const maxTries = 4

async function send(agents: MachineAgents, relay: Relay): Promise<Sent> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await sendOnce(agents, relay)
    } catch (error) {
      // A kept connection that its other end had just closed: safe to repeat when nothing but headers was sent.
      if (!(error instanceof StaleConnection)) throw error
      if (tries === maxTries || relay.outgoing.destroyed) throw error.failure
    }
  }
}

/** A connection taken from the pool had ended before the request was read by anybody. */
class StaleConnection extends Error {
  /** What to tell when it is not tried again. */
  readonly failure: Error

  constructor(failure: Error) {
    super(failure.message, { cause: failure })
    this.failure = failure
  }
}

function sendOnce(agents: MachineAgents, relay: Relay): Promise<Sent> {
  const { incoming, outgoing, target, body, maxBodyBytes } = relay
  const agent = agents.agentFor(target.externalId, target.port)
  return new Promise((resolve, reject) => {
    const outbound = request({
      agent,
      method: incoming.method,
      path: target.path,
      headers: withFraming(relay),
      setHost: false,
    })
    const late = setTimeout(() => outbound.destroy(problem(relay.lateCode)), relay.firstHeaderMs)
    const leave = () => outbound.destroy()
    outgoing.once('close', leave)
    outbound.once('response', (answered) => {
      clearTimeout(late)
      outgoing.off('close', leave)
      resolve({ answered, outbound, agent })
    })
    outbound.once('error', (error) => {
      clearTimeout(late)
      outgoing.off('close', leave)
      reject(explain(error, outbound, relay))
    })
    if (body !== undefined) outbound.end(body)
    else if (hasNoBody(incoming)) outbound.end()
    else
      void pipeline(limit(incoming, maxBodyBytes), outbound).catch((error: unknown) => outbound.destroy(asError(error)))
  })
}

/**
 * A body without a length is sent in chunks, whatever the method: bytes that nothing announces would be read as the next
 * request.
 */
function withFraming({ incoming, headers, body }: Relay): OutgoingHttpHeaders {
  const isAnnounced = body !== undefined || hasNoBody(incoming) || headers['content-length'] !== undefined
  return isAnnounced ? headers : { ...headers, 'transfer-encoding': 'chunked' }
}

function explain(error: Error & { code?: string }, outbound: ClientRequest, { incoming, target }: Relay): Error {
  if (error.code === 'sandbox_timeout') {
    return failAt(target.port === daemonPort ? 'daemon' : 'app_port', target, 'sandbox_timeout')
  }
  if (error.code === 'long_turn_proxy_timeout' || error.code === 'upload_too_large' || error.code === 'request_timeout')
    return error
  const failure = failConnecting(error, target)
  if (isReused(outbound) && isCut(error) && isRepeatable(incoming)) return new StaleConnection(failure)
  if (!outbound.socket) unsent.add(failure)
  return failure
}

function isReused({ reusedSocket, socket }: ClientRequest): boolean {
  const connection: Duplex | null = socket
  return reusedSocket || (connection instanceof PortStream && connection.isRenewed)
}

const isCut = ({ code }: { code?: string }): boolean => code === 'ECONNRESET' || code === 'EPIPE'

/** A change may have been made before the connection broke; asking again is always safe. */
function isRepeatable(incoming: IncomingMessage): boolean {
  return (incoming.method === 'GET' || incoming.method === 'HEAD') && hasNoBody(incoming)
}

function hasNoBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] === undefined && (headers['content-length'] ?? '0') === '0'
}

async function* limit(incoming: IncomingMessage, maxBytes: number): AsyncGenerator<Buffer> {
  let received = 0
  for await (const chunk of incoming) {
    received += (chunk as Buffer).length
    if (received > maxBytes) {
      throw problem('upload_too_large', { extras: { max_bytes: maxBytes, received_bytes: received } })
    }
    yield chunk as Buffer
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}
