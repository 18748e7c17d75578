import type { ServerResponse } from 'node:http'
import type { AnyOperation, BodyOf, ParamsOf, Permission, QueryOf } from '@svc/contract'
import type { Actor } from '../actor.ts'
import type { Principal } from '../principal.ts'
import type { Admission, Gate, Scope } from './gate.ts'
import type { RequestFacts } from './request-facts.ts'

/** One call of one operation, parsed and admitted: what a handler works with. */
export interface Call<Op extends AnyOperation = AnyOperation> {
  readonly params: ParamsOf<Op>
  readonly query: QueryOf<Op>
  readonly body: BodyOf<Op>
  readonly request: RequestFacts
  readonly principal: Principal
  readonly actor: Actor
  /** The account or project this call is about. Asking for one that the operation has none of is a fault of ours. */
  readonly accountId: string
  readonly projectId: string
  /** Throws 403 unless the caller holds a permission that the operation lists in `mayNeed`. */
  require(permission: Permission, scope?: Scope): Promise<void>
  can(permission: Permission, scope?: Scope): Promise<boolean>
  /** For a public page that knows its caller by a cookie: the request is recorded as theirs. */
  identify(principal: Principal): void
  /** Aborted when the caller goes away or the deadline passes. */
  readonly signal: AbortSignal
  /** The bare Node response, for handlers that stream a protocol of their own (git, proxies). */
  readonly outgoing: ServerResponse
}

interface CallParts {
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
  readonly request: RequestFacts
  readonly admission: Admission
  readonly gate: Gate
  readonly outgoing: ServerResponse
}

/** The abort signal is made only when a handler asks for it: most never do. */
export class LiveCall<Op extends AnyOperation> implements Call<Op> {
  readonly params: ParamsOf<Op>
  readonly query: QueryOf<Op>
  readonly body: BodyOf<Op>
  readonly request: RequestFacts
  readonly outgoing: ServerResponse
  readonly #admission: Admission
  readonly #gate: Gate
  #controller: AbortController | undefined
  #expired = false
  #identified: Principal | undefined

  constructor(parts: CallParts) {
    // Parsed by this operation's own shapes just before, so they have the types it declares.
    this.params = parts.params as ParamsOf<Op>
    this.query = parts.query as QueryOf<Op>
    this.body = parts.body as BodyOf<Op>
    this.request = parts.request
    this.outgoing = parts.outgoing
    this.#admission = parts.admission
    this.#gate = parts.gate
  }

  get principal(): Principal {
    return this.#admission.principal
  }

  /** Who is recorded to have made this request. */
  get recorded(): Principal {
    return this.#identified ?? this.principal
  }

  identify(principal: Principal): void {
    this.#identified = principal
  }

  get actor(): Actor {
    return this.#admission.principal.actor
  }

  get accountId(): string {
    return this.#known(this.#admission.accountId, 'account')
  }

  get projectId(): string {
    return this.#known(this.#admission.projectId, 'project')
  }

  async require(permission: Permission, scope: Scope = this.#admission): Promise<void> {
    const { operation } = this.request
    if (operation.needs !== permission && !operation.mayNeed.includes(permission)) {
      throw new TypeError(`${operation.id} requires ${permission} without listing it in mayNeed`)
    }
    const refusal = await this.#gate.refusal(this.principal, permission, scope)
    if (refusal) throw refusal
  }

  async can(permission: Permission, scope: Scope = this.#admission): Promise<boolean> {
    return (await this.#gate.refusal(this.principal, permission, scope)) === undefined
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

  #known(id: string | undefined, what: string): string {
    if (id === undefined) throw new TypeError(`${this.request.operation.id} is not about one ${what}`)
    return id
  }
}
