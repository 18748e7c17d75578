import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { AnyOperation } from '@svc/contract'
import { continueTrace, type Trace } from './trace.ts'

/** What is known of a request before anything of it was parsed. */
export interface RequestFacts {
  readonly id: string
  readonly trace: Trace
  readonly ip: string
  readonly operation: AnyOperation
  readonly incoming: IncomingMessage
  /** What the client says it is (`X-Svc-Client`): a label, never a reason for a permission. */
  readonly clientSource: string | undefined
  /** `X-Correlation-Id`, else `Idempotency-Key`. */
  readonly correlationId: string | undefined
}

export type ReadClientIp = (peerAddress: string | undefined, forwardedFor: string | undefined) => string

export function readRequestFacts(
  operation: AnyOperation,
  incoming: IncomingMessage,
  readClientIp: ReadClientIp,
): RequestFacts {
  const { headers } = incoming
  return {
    id: randomUUID(),
    trace: continueTrace(single(headers.traceparent)),
    ip: readClientIp(incoming.socket.remoteAddress, single(headers['x-forwarded-for'])),
    operation,
    incoming,
    clientSource: readClientSource(single(headers['x-svc-client'])),
    correlationId: readLabel(single(headers['x-correlation-id']) ?? single(headers['idempotency-key'])),
  }
}

const clientSource = /^[a-z0-9][a-z0-9._:-]{0,63}$/
const credentialShaped = /svc_|whsec_|^sk-|[0-9a-f]{32}|[a-z0-9]{40}/
const label = /^[\x21-\x7e]{1,255}$/

/** A label the client gives itself; anything that looks like a credential is dropped rather than stored. */
function readClientSource(given: string | undefined): string | undefined {
  const value = given?.trim().toLowerCase()
  return value !== undefined && clientSource.test(value) && !credentialShaped.test(value) ? value : undefined
}

function readLabel(given: string | undefined): string | undefined {
  return given !== undefined && label.test(given) ? given : undefined
}

function single(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(',') : value
}
