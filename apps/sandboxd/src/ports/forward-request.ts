import { type IncomingMessage, request as openRequest, type ServerResponse } from 'node:http'
import { pipeline } from 'node:stream'
import type { Refusal } from '../http/reply.ts'
import { dialLoopback } from './dial-loopback.ts'
import { answerHeaders, forwardHeaders } from './forward-headers.ts'
import { createKeepalive } from './keepalive.ts'

export interface ForwardTarget {
  readonly port: number
  /** Path and query as the program inside sees them. */
  readonly path: string
  readonly host: string
  readonly firstHeaderMs: number
  /** Thrown when nothing listens, and when no header came in time. */
  refused(): Refusal
  timedOut(): Refusal
  /** Event streams get a comment after so long a silence; undefined leaves them alone. */
  readonly keepaliveMs?: number
}

/**
 * Passes one request to a program on this machine and streams its answer, nothing held back. Resolves when the answer
 * has begun or rejects with the refusal.
 */
export async function forwardRequest(request: IncomingMessage, response: ServerResponse, target: ForwardTarget) {
  // A connection of its own: a kept one may close at the very moment it is used again, and a prompt is not sent twice.
  const socket = await dialLoopback(target.port).catch(() => {
    throw target.refused()
  })
  await new Promise<void>((resolve, reject) => {
    const outgoing = openRequest({
      createConnection: () => socket,
      method: request.method ?? 'GET',
      path: target.path,
      headers: withFraming(forwardHeaders(request.rawHeaders, target.host), request),
    })
    const timer = setTimeout(() => {
      reject(target.timedOut())
      outgoing.destroy()
    }, target.firstHeaderMs)

    outgoing.once('response', (answer) => {
      clearTimeout(timer)
      response.writeHead(answer.statusCode ?? 502, answer.statusMessage ?? '', answerHeaders(answer.rawHeaders))
      response.flushHeaders()
      resolve()
      streamAnswer(answer, response, target.keepaliveMs)
    })
    outgoing.once('error', () => {
      clearTimeout(timer)
      reject(target.refused())
    })
    // A caller that went away takes its request along, however long the answer would have taken.
    response.once('close', () => {
      clearTimeout(timer)
      if (!response.writableFinished) outgoing.destroy()
    })
    pipeline(request, outgoing, (error) => {
      if (error) outgoing.destroy(error)
    })
  })
}

/**
 * A body without a length is sent in chunks, whatever the method: bytes that nothing announces would be read as the
 * next request.
 */
const withFraming = (headers: string[], { headers: given }: IncomingMessage) =>
  given['transfer-encoding'] === undefined ? headers : [...headers, 'Transfer-Encoding', 'chunked']

function streamAnswer(answer: IncomingMessage, response: ServerResponse, keepaliveMs: number | undefined): void {
  // A cut stream is told to the reader by cutting its connection, which pipeline does.
  const done = () => answer.destroy()
  const isEvents = answer.headers['content-type']?.startsWith('text/event-stream') === true
  if (keepaliveMs !== undefined && isEvents) pipeline(answer, createKeepalive(keepaliveMs), response, done)
  else pipeline(answer, response, done)
}
