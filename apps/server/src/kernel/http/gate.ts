import type { AnyOperation } from '@svc/contract'
import type { Actor } from '../actor.ts'
import type { Principal, RequestFacts } from './call.ts'
import { problem } from './problem.ts'

export interface ParsedInput {
  readonly params: Readonly<Record<string, string>>
  readonly query: unknown
  readonly body: unknown
}

/** Who is calling, and may they. The identity and access capabilities supply it; the pass asks it for every call. */
export interface Gate {
  /** The principal behind the request's credential; throws 401 when there is none or it is not valid. */
  authenticate(request: RequestFacts): Promise<Principal>
  /** Throws unless the principal may do this here. Returns the principal with account and project filled in. */
  authorize(operation: AnyOperation, principal: Principal, input: ParsedInput): Promise<Principal>
}

/** Access is default-deny: without an identity capability only public operations answer. */
export const closedGate: Gate = {
  authenticate: () => Promise.reject(problem('unauthorized')),
  authorize: () => Promise.reject(problem('forbidden')),
}

export function anonymous(request: RequestFacts): Principal {
  return { actor: describeActor(request) }
}

function describeActor(request: RequestFacts): Actor {
  return {
    type: 'anonymous',
    source: 'api',
    requestId: request.id,
    traceId: request.trace.traceId,
    ip: request.ip,
    ...(request.correlationId === undefined ? {} : { correlationId: request.correlationId }),
    ...(request.clientSource === undefined ? {} : { clientReportedSource: request.clientSource }),
  }
}
