import type { ServerResponse } from 'node:http'
import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { findOutboundError } from '../../kernel/outbound/errors.ts'
import type { Outcome } from './connection-log.ts'
import { type Target, writeAuthority } from './target.ts'

/** Why a connection does not come about, told to whoever asked inside the sandbox. */
export class EgressRefusal extends Error {
  override readonly name = 'EgressRefusal'
  readonly status: number
  readonly code: string
  readonly next: string
  readonly outcome: Outcome

  constructor(outcome: Outcome, status: number, code: string, message: string, next: string) {
    super(message)
    this.outcome = outcome
    this.status = status
    this.code = code
    this.next = next
  }
}

export function notAllowed(target: Target): EgressRefusal {
  return new EgressRefusal(
    'refused_rules',
    403,
    'egress_not_allowed',
    `This project’s sandboxes may not connect to ${writeAuthority(target)}.`,
    'Ask a manager of the project to add the host to its list of allowed hosts.',
  )
}

/** Turns what dialling threw into an answer. The private address behind a name stays in the server. */
export function explainDialError(error: unknown, target: Target): EgressRefusal {
  if (error instanceof EgressRefusal) return error
  const own = findOutboundError(error)
  if (own?.code === 'outbound_refused') {
    return new EgressRefusal('refused_address', 403, 'egress_refused', own.message, 'Connect to a public host.')
  }
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const isTimeout = code === 'ETIMEDOUT' || code === 'UND_ERR_CONNECT_TIMEOUT'
  return isTimeout
    ? new EgressRefusal('timeout', 504, 'egress_timeout', `${target.host} did not answer in time.`, 'Try again later.')
    : new EgressRefusal(
        'unreachable',
        502,
        'egress_unreachable',
        `${writeAuthority(target)} could not be reached.`,
        'Check the host and the port.',
      )
}

export function answerRefusal(response: ServerResponse, { status, code, message, next }: EgressRefusal): void {
  if (response.headersSent) {
    response.destroy()
    return
  }
  const body = JSON.stringify({ error: message, code, next })
  response
    .writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
    .end(body)
}

export function refuseSocket(socket: Duplex, { status, code, message, next }: EgressRefusal): void {
  const body = JSON.stringify({ error: message, code, next })
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\ncontent-type: application/json\r\n`
  const length = `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n`
  socket.end(`${head}${length}${body}`, () => socket.destroy())
}

export const badRequest = new EgressRefusal(
  'ok',
  400,
  'bad_request',
  'The proxy understands CONNECT host:port, requests with an absolute http address, and paths below /v1/.',
  'Set HTTPS_PROXY and HTTP_PROXY to the sandbox’s proxy, and SVC_API_URL for the platform.',
)
