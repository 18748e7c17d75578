import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AnyOperation, BodyOf, ParamsOf, QueryOf } from '@svc/contract'
import type { Actor } from '../actor.ts'
import type { Trace } from './trace.ts'

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

/** Whoever is behind a credential. The identity capability's principals carry more. */
export interface Principal {
  readonly actor: Actor
}

/** One call of one operation, parsed and admitted: what a handler works with. */
export interface Call<Op extends AnyOperation = AnyOperation> {
  readonly params: ParamsOf<Op>
  readonly query: QueryOf<Op>
  readonly body: BodyOf<Op>
  readonly request: RequestFacts
  readonly principal: Principal
  readonly actor: Actor
  /** Aborted when the caller goes away or the deadline passes. */
  readonly signal: AbortSignal
  /** The bare Node response, for handlers that stream a protocol of their own (git, proxies). */
  readonly outgoing: ServerResponse
}

interface CallParts<Op extends AnyOperation> {
  readonly params: ParamsOf<Op>
  readonly query: QueryOf<Op>
  readonly body: BodyOf<Op>
  readonly request: RequestFacts
  readonly principal: Principal
  readonly outgoing: ServerResponse
}

/** The abort signal is made only when a handler asks for it: most never do. */
export class LiveCall<Op extends AnyOperation> implements Call<Op> {
  readonly params: ParamsOf<Op>
  readonly query: QueryOf<Op>
  readonly body: BodyOf<Op>
  readonly request: RequestFacts
  readonly principal: Principal
  readonly outgoing: ServerResponse
  #controller: AbortController | undefined
  #expired = false

  constructor(parts: CallParts<Op>) {
    this.params = parts.params
    this.query = parts.query
    this.body = parts.body
    this.request = parts.request
    this.principal = parts.principal
    this.outgoing = parts.outgoing
  }

  get actor(): Actor {
    return this.principal.actor
  }

  get signal(): AbortSignal {
    if (this.#controller) return this.#controller.signal
    const controller = new AbortController()
    this.#controller = controller
    if (this.#expired) controller.abort()
    this.outgoing.once('close', () => {
      if (!this.outgoing.writableFinished) controller.abort()
    })
    return controller.signal
  }

  expire(): void {
    this.#expired = true
    this.#controller?.abort()
  }
}
