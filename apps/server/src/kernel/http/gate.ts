import type { AnyOperation, Permission } from '@svc/contract'
import type { Actor } from '../actor.ts'
import type { Principal } from '../principal.ts'
import { type Problem, problem } from './problem.ts'
import type { RequestFacts } from './request-facts.ts'

export interface ParsedInput {
  readonly params: Readonly<Record<string, string>>
  readonly query: unknown
  readonly body: unknown
}

/** Where an action takes place. An account action names an account, a project action a project. */
export interface Scope {
  readonly accountId?: string | undefined
  readonly projectId?: string | undefined
  readonly object?: { readonly type: 'agent' | 'skill' | 'secret' | 'app' | 'trigger'; readonly id: string } | undefined
}

/** A caller who may go on, and the account and project the call is about. */
export interface Admission {
  readonly principal: Principal
  readonly accountId: string | undefined
  readonly projectId: string | undefined
}

/** Who is calling, and may they. The identity and access capabilities supply it; the pass asks it for every call. */
export interface Gate {
  /** The principal behind the request's credential; throws 401 when there is none or it is not valid. */
  authenticate(request: RequestFacts): Promise<Principal>
  /** Throws unless the principal may call this operation here. */
  authorize(operation: AnyOperation, principal: Principal, input: ParsedInput): Promise<Admission>
  /** The refusal that this permission would meet, or undefined when it is granted. */
  refusal(principal: Principal, permission: Permission, scope: Scope): Promise<Problem | undefined>
}

/** Access is default-deny: without an identity capability only public operations answer. */
export const closedGate: Gate = {
  authenticate: () => Promise.reject(problem('unauthorized')),
  authorize: () => Promise.reject(problem('forbidden')),
  refusal: async () => problem('forbidden'),
}

/** What the request alone says about who acts. */
export function describeActor(request: RequestFacts): Actor {
  const userAgent = request.incoming.headers['user-agent']?.slice(0, 512)
  return {
    type: 'anonymous',
    source: 'api',
    requestId: request.id,
    traceId: request.trace.traceId,
    ip: request.ip,
    ...(request.correlationId === undefined ? {} : { correlationId: request.correlationId }),
    ...(request.clientSource === undefined ? {} : { clientReportedSource: request.clientSource }),
    ...(userAgent === undefined ? {} : { userAgent }),
  }
}
