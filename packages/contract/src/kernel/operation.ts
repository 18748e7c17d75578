import type { z } from 'zod'
import type { Permission } from '../permissions.ts'
import type { ProblemCode } from '../problems/index.ts'
import { listParamNames, type Method, type ParamNames, type Params, type Route, splitRoute } from './path.ts'
import { isPayload, type Payload } from './payload.ts'

/**
 * Who may call. Access is default-deny: an operation either names a permission of the catalog or says one of these.
 * - `public`: no credential is read
 * - `signed-in`: any valid credential
 * - `identity-session`: a signed-in person's own session, no token of any other family
 * - `user`: a person, by session or account-wide token
 * - `account-member`: a member of the account in question
 * - `operator`: whoever runs this instance
 */
export type Access = 'public' | 'signed-in' | 'identity-session' | 'user' | 'account-member' | 'operator' | Permission

/**
 * What the audit log keeps of a call, decided for every operation.
 * - a dotted name: a semantic event, written in the transaction of the change, besides the request's own row
 * - `request`: the request's own row only
 * - `none`: nothing (health, descriptions of the API, anonymous pages)
 */
export type Audit = 'request' | 'none' | `${string}.${string}`

export type Entitlement = 'rbac' | 'auditAccess' | 'branding'

export interface RateLimit {
  readonly limit: number
  readonly windowMs: number
  readonly by: 'ip' | 'caller'
  /** The code of the refusal; `rate_limit_exceeded` unless the protocol has its own. */
  readonly code?: ProblemCode
}

export type Shape = z.ZodType | Payload

/** What handlers and clients read off an operation. Computed once, where it is declared. */
export interface OperationTypes {
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
  readonly queryInput: unknown
  readonly bodyInput: unknown
  /** What a handler may return. */
  readonly reply: unknown
  /** The JSON document an operation answers with, when it answers with one. */
  readonly result: unknown
}

/**
 * One operation. Its types travel in `types`, apart from the schemas: comparing two operations compares a few plain
 * types and never walks into a schema library (a contract of 300 operations checks several times faster for it).
 */
export interface Operation<Types extends OperationTypes = OperationTypes> {
  /** Capability and verb: `changeRequests.merge`. The client's call and OpenAPI's operationId come from it. */
  readonly id: string
  readonly at: Route
  readonly method: Method
  readonly path: string
  readonly summary: string
  readonly description?: string
  readonly needs: Access
  /** Permissions that single calls need besides, depending on what they ask for; the handler requires them by name. */
  readonly mayNeed: readonly Permission[]
  /** A plan entitlement without which the answer is 402. */
  readonly entitlement: Entitlement | undefined
  /** At most this many calls in a window, counted per address or per caller. */
  readonly rateLimit: RateLimit | undefined
  readonly audit: Audit
  /** Rules for single path parameters. Without one, a name that ends in `Id` must be a UUID, else the answer is 404. */
  readonly params: { readonly [name: string]: z.ZodType<string> }
  readonly query: z.ZodObject | undefined
  readonly body: Shape | undefined
  readonly returns: Shape
  /** Status of success. */
  readonly status: number
  /** Codes this operation answers with beyond those every operation can (see `impliedErrors`). */
  readonly errors: readonly ProblemCode[]
  /** Whether it honours `Idempotency-Key`: every POST by somebody known that answers with a document. */
  readonly idempotent: boolean
  readonly maxBodyBytes: number
  /** Server processing deadline; null for streams and transfers. */
  readonly deadlineMs: number | null
  /** Never set; carries the types. */
  readonly types?: Types
}

export type AnyOperation = Operation

interface Declaration<At extends Route, Query, Body, Returns> {
  id: string
  at: At
  summary: string
  description?: string
  needs: Access
  mayNeed?: readonly Permission[]
  entitlement?: Entitlement
  rateLimit?: RateLimit
  audit: Audit
  params?: { readonly [Name in ParamNames<At>]?: z.ZodType<string> }
  query?: Query
  body?: Body
  returns: Returns
  status?: number
  errors?: readonly ProblemCode[]
  idempotent?: boolean
  maxBodyBytes?: number
  deadlineMs?: number | null
}

export const defaultMaxBodyBytes = 1024 * 1024
export const defaultDeadlineMs = 25_000

/**
 * Declares one REST operation. Everything else derives from this record: the typed handler and its parsing, the
 * permission check, the audit name, the client's call, the OpenAPI document and the reference.
 *
 * @example
 * export const merge = operation({
 *   id: 'changeRequests.merge',
 *   at: 'POST /v1/projects/:projectId/change-requests/:crId/merge',
 *   summary: 'Merge a change request',
 *   needs: 'project.gitops.merge',
 *   audit: 'change_request.merge',
 *   body: MergeInput,
 *   returns: ChangeRequest,
 *   errors: ['change_request_not_open'],
 * })
 */
export function operation<
  const At extends Route,
  Query extends AnySchema | undefined = undefined,
  Body extends AnySchema | Payload | undefined = undefined,
  Returns extends AnySchema | Payload = Payload,
>(declared: Declaration<At, Query, Body, Returns>): Operation<TypesOf<At, Query, Body, Returns>> {
  const { method, path } = splitRoute(declared.at)
  const { query, body, returns } = widen(declared)
  const streams = isPayload(returns) && ['bytes', 'events', 'relayed'].includes(returns.kind)
  const built = {
    ...declared,
    method,
    path,
    params: (declared.params ?? {}) as Operation['params'],
    query,
    body,
    returns,
    status: declared.status ?? (isPayload(returns) ? statusOfPayload(returns) : 200),
    mayNeed: declared.mayNeed ?? [],
    entitlement: declared.entitlement,
    rateLimit: declared.rateLimit,
    errors: declared.errors ?? [],
    // Nobody stands behind a public call whose repeats could be told from a stranger's.
    idempotent: declared.idempotent ?? (method === 'POST' && declared.needs !== 'public' && !isPayload(returns)),
    maxBodyBytes: declared.maxBodyBytes ?? defaultMaxBodyBytes,
    deadlineMs: declared.deadlineMs === undefined ? (streams ? null : defaultDeadlineMs) : declared.deadlineMs,
  }
  assertDisjointNames(built)
  return Object.freeze(built)
}

/** The schemas as the schema library's own types; `AnySchema` is only the part of them that inference reads. */
function widen(declared: { query?: unknown; body?: unknown; returns: unknown }) {
  return declared as { query: z.ZodObject | undefined; body: Shape | undefined; returns: Shape }
}

function statusOfPayload(payload: Payload): number {
  if (payload.kind === 'nothing') return 204
  return payload.kind === 'redirect' ? 302 : 200
}

/** The client passes path, query and body names in one object, so one name must never mean two things. */
function assertDisjointNames(built: Pick<Operation, 'id' | 'path' | 'query' | 'body'>): void {
  const names = [...listParamNames(built.path), ...fieldNames(built.query), ...fieldNames(built.body)]
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice) throw new TypeError(`${built.id}: the name "${twice}" stands in two of path, query and body`)
}

export function fieldNames(shape: Shape | undefined): string[] {
  if (!shape) return []
  if (isPayload(shape)) return 'fields' in shape ? Object.keys(shape.fields.shape) : []
  if ('shape' in shape && shape.shape) return Object.keys(shape.shape)
  const { innerType } = shape.def as { innerType?: z.ZodType }
  return fieldNames(innerType)
}

/** The schemas an operation mentions, for whoever has to describe them all. */
export function shapesOf(operation: AnyOperation): z.ZodType[] {
  return [operation.query, operation.body, operation.returns].flatMap((shape) => {
    if (!shape) return []
    if (!isPayload(shape)) return [shape]
    if ('fields' in shape) return [shape.fields]
    return shape.kind === 'events' ? [shape.event] : []
  })
}

const idempotencyCodes: readonly ProblemCode[] = [
  'idempotency_key_invalid',
  'idempotency_conflict',
  'idempotency_in_flight',
  'idempotency_answer_gone',
]

/** Codes that follow from an operation's own declaration and need no mention in `errors`. */
export function impliedErrors(operation: AnyOperation): ProblemCode[] {
  const limited = operation.rateLimit?.code ?? 'rate_limit_exceeded'
  const codes: ProblemCode[] = ['unknown_host', 'internal', 'unavailable', limited]
  if (operation.needs !== 'public') codes.push('unauthorized', 'forbidden')
  if (operation.entitlement) codes.push('entitlement_required')
  if (operation.path.includes(':')) codes.push('not_found', 'invalid_encoding')
  if (operation.query) codes.push('validation_failed')
  if (operation.body)
    codes.push(
      'validation_failed',
      'malformed_json',
      'invalid_encoding',
      'payload_too_large',
      'unsupported_media_type',
      'request_timeout',
    )
  if (operation.idempotent) codes.push(...idempotencyCodes)
  if (operation.deadlineMs !== null) codes.push('request_deadline')
  return [...new Set(codes)]
}

// How the types come out of a declaration. A schema is read through its `_zod` member alone.

export interface AnySchema {
  readonly _zod: { readonly output: unknown; readonly input: unknown }
}

type Output<S extends AnySchema> = S['_zod']['output']
type Input<S extends AnySchema> = S['_zod']['input']

type Parsed<S> = S extends AnySchema
  ? Output<S>
  : S extends { kind: 'form'; fields: infer F extends AnySchema }
    ? Output<F>
    : S extends { kind: 'multipart'; fields: infer F extends AnySchema; files: infer Names extends readonly string[] }
      ? Output<F> & { readonly [Name in Names[number]]: File }
      : S extends { kind: 'bytes' }
        ? AsyncIterable<Uint8Array>
        : undefined

type Sent<S> = S extends AnySchema
  ? Input<S>
  : S extends { kind: 'form'; fields: infer F extends AnySchema }
    ? Input<F>
    : S extends { kind: 'multipart'; fields: infer F extends AnySchema; files: infer Names extends readonly string[] }
      ? Input<F> & { readonly [Name in Names[number]]: Blob }
      : S extends { kind: 'bytes' }
        ? AsyncIterable<Uint8Array> | Uint8Array
        : undefined

/** One server-sent event. The id is what a reconnecting reader hands back as `Last-Event-ID`. */
export interface ServerEvent<Data = unknown> {
  readonly id?: string | number
  readonly event?: string
  readonly data: Data
}

/** Bytes on their way out. Node's readable streams are async iterables of bytes too. */
export type ByteSource = AsyncIterable<Uint8Array> | Uint8Array | string

type Reply<S> = S extends AnySchema
  ? Input<S>
  : S extends { kind: 'nothing' | 'relayed' }
    ? undefined
    : S extends { kind: 'events'; event: infer Event extends AnySchema }
      ? AsyncIterable<ServerEvent<Input<Event>>>
      : S extends { kind: 'bytes' }
        ? ByteSource
        : string

export interface TypesOf<At extends Route, Query, Body, Returns> extends OperationTypes {
  readonly params: Params<At>
  readonly query: Parsed<Query>
  readonly body: Parsed<Body>
  readonly queryInput: Sent<Query>
  readonly bodyInput: Sent<Body>
  readonly reply: Reply<Returns>
  readonly result: Returns extends AnySchema ? Output<Returns> : never
}

type Types<Op extends AnyOperation> = NonNullable<Op['types']>

export type ParamsOf<Op extends AnyOperation> = Types<Op>['params']
export type QueryOf<Op extends AnyOperation> = Types<Op>['query']
export type BodyOf<Op extends AnyOperation> = Types<Op>['body']
/** What a caller passes. */
export type QueryInputOf<Op extends AnyOperation> = Types<Op>['queryInput']
export type BodyInputOf<Op extends AnyOperation> = Types<Op>['bodyInput']
/** What a handler returns, and what a caller gets. */
export type ReplyOf<Op extends AnyOperation> = Types<Op>['reply']
export type ResultOf<Op extends AnyOperation> = Types<Op>['result']
