import type { z } from 'zod'
import type { Permission } from '../permissions.ts'
import type { ProblemCode } from '../problems.ts'
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

export interface Operation<
  At extends Route = Route,
  Query extends z.ZodObject | undefined = z.ZodObject | undefined,
  Body extends Shape | undefined = Shape | undefined,
  Returns extends Shape = Shape,
> {
  /** Capability and verb: `changeRequests.merge`. The client's call and OpenAPI's operationId come from it. */
  readonly id: string
  readonly at: At
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
  readonly query: Query
  readonly body: Body
  readonly returns: Returns
  /** Status of success. */
  readonly status: number
  /** Codes this operation answers with beyond those every operation can (see `impliedErrors`). */
  readonly errors: readonly ProblemCode[]
  /** Whether a POST honours `Idempotency-Key`. */
  readonly idempotent: boolean
  readonly maxBodyBytes: number
  /** Server processing deadline; null for streams and transfers. */
  readonly deadlineMs: number | null
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
  Query extends z.ZodObject | undefined = undefined,
  Body extends Shape | undefined = undefined,
  Returns extends Shape = Shape,
>(declared: Declaration<At, Query, Body, Returns>): Operation<At, Query, Body, Returns> {
  const { method, path } = splitRoute(declared.at)
  const streams = isPayload(declared.returns) && ['bytes', 'events'].includes(declared.returns.kind)
  const built = {
    ...declared,
    method,
    path,
    params: (declared.params ?? {}) as Operation['params'],
    query: declared.query as Query,
    body: declared.body as Body,
    status: declared.status ?? (isPayload(declared.returns) ? statusOfPayload(declared.returns) : 200),
    mayNeed: declared.mayNeed ?? [],
    entitlement: declared.entitlement,
    rateLimit: declared.rateLimit,
    errors: declared.errors ?? [],
    idempotent: declared.idempotent ?? method === 'POST',
    maxBodyBytes: declared.maxBodyBytes ?? defaultMaxBodyBytes,
    deadlineMs: declared.deadlineMs === undefined ? (streams ? null : defaultDeadlineMs) : declared.deadlineMs,
  }
  assertDisjointNames(built)
  return Object.freeze(built)
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
  return 'shape' in shape && shape.shape ? Object.keys(shape.shape) : []
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
  if (operation.idempotent) codes.push('invalid_idempotency_key', 'idempotency_conflict', 'idempotency_in_flight')
  if (operation.deadlineMs !== null) codes.push('request_deadline')
  return [...new Set(codes)]
}

// Types that handlers and clients read off an operation.

type Parsed<S> = S extends z.ZodType
  ? z.output<S>
  : S extends { kind: 'form'; fields: infer F extends z.ZodType }
    ? z.output<F>
    : S extends { kind: 'multipart'; fields: infer F extends z.ZodType; files: infer Names extends readonly string[] }
      ? z.output<F> & { readonly [Name in Names[number]]: File }
      : S extends { kind: 'bytes' }
        ? AsyncIterable<Uint8Array>
        : undefined

type Sent<S> = S extends z.ZodType
  ? z.input<S>
  : S extends { kind: 'form'; fields: infer F extends z.ZodType }
    ? z.input<F>
    : S extends { kind: 'multipart'; fields: infer F extends z.ZodType; files: infer Names extends readonly string[] }
      ? z.input<F> & { readonly [Name in Names[number]]: Blob }
      : S extends { kind: 'bytes' }
        ? AsyncIterable<Uint8Array> | Uint8Array
        : undefined

export type ParamsOf<Op> = Op extends Operation<infer At, infer _Q, infer _B, infer _R> ? Params<At> : never
export type QueryOf<Op extends AnyOperation> = Op['query'] extends z.ZodType ? z.output<Op['query']> : undefined
export type BodyOf<Op extends AnyOperation> = Parsed<Op['body']>
/** What a caller passes as the body. */
export type BodyInputOf<Op extends AnyOperation> = Sent<Op['body']>
export type QueryInputOf<Op extends AnyOperation> = Op['query'] extends z.ZodType ? z.input<Op['query']> : undefined
/** The JSON document an operation answers with, when it answers with one. */
export type ResultOf<Op extends AnyOperation> = Op['returns'] extends z.ZodType ? z.output<Op['returns']> : never
