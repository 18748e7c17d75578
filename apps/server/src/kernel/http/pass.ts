import type { HttpBindings } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { type AnyOperation, impliedErrors, isPayload } from '@svc/contract'
import { anonymousPrincipal, type Principal } from '../principal.ts'
import { addressKey } from '../rate-limit/index.ts'
import { LiveCall } from './call.ts'
import type { Deadlines } from './deadlines.ts'
import { renderProblem } from './envelope.ts'
import type { Finished } from './finished.ts'
import { type Admission, describeActor, type Gate } from './gate.ts'
import type { Handled } from './handle.ts'
import type { OpenStreams } from './open-streams.ts'
import { createInputParser } from './parse-input.ts'
import { Problem, problem } from './problem.ts'
import { type ReadClientIp, readRequestFacts } from './request-facts.ts'
import { baseHeaders } from './response-headers.ts'
import { type Headers, respond, writeAnswer } from './write-answer.ts'

/** A request as it arrives: from the router, or straight from the port. */
export interface HttpContext {
  readonly env: HttpBindings
  readonly req: { readonly path: string; readonly url: string; param(): Record<string, string> }
}

export interface PassOptions {
  readonly gate: Gate
  readonly deadlines: Deadlines
  readonly readClientIp: ReadClientIp
  readonly isKnownHost: (host: string | undefined) => boolean
  readonly validateResponses: boolean
  readonly onFinished: (finished: Finished) => void
  /** Whether something failed only because a part that everything needs is away for a moment. */
  readonly isPassing?: (error: unknown) => boolean
  /** Counts a call against its operation's limit; a key that is over it throws 429. */
  readonly limitRate?: (operation: AnyOperation, key: string) => Promise<void>
  /** Throws 402 when the account lacks what the operation's plan entitlement asks for. */
  readonly requireEntitlement?: (operation: AnyOperation, accountId: string) => Promise<void>
  /** Told of every answer without a deadline, so that it can be cut when its caller may no longer have it. */
  readonly streams?: Pick<OpenStreams, 'watch'>
  /** Runs a call at most once per Idempotency-Key. */
  readonly replay?: (call: LiveCall<AnyOperation>, key: string, run: () => Promise<unknown>) => Promise<unknown>
}

/**
 * The one pass every request takes: host, identity, input, permission, handler, answer, record. A stack of middleware
 * would read nicer and run at a fraction of the rate (see bench/http).
 */
export function createPass(options: PassOptions) {
  return function bind(handled: Handled, isCatchAll = false): (context: HttpContext) => Promise<Response> {
    const { operation } = handled
    const parse = createInputParser(operation)
    const fixedHeaders = baseHeaders(operation.path)
    const isPublic = operation.needs === 'public'
    const bounded = <T>(work: Promise<T>) => withDeadline(work, operation, options, () => undefined)

    return async (context) => {
      const startedAtMs = performance.now()
      const { incoming, outgoing } = context.env
      const request = readRequestFacts(operation, incoming, options.readClientIp)
      // What matches no operation still lies below a prefix with its own rules for headers and refusals.
      const path = isCatchAll ? context.req.path : operation.path
      const headers: Headers = {
        ...(isCatchAll ? baseHeaders(path) : fixedHeaders),
        'x-request-id': request.id,
        traceparent: request.trace.traceparent,
      }
      let principal: Principal | undefined
      let call: LiveCall<AnyOperation> | undefined
      try {
        if (!options.isKnownHost(incoming.headers.host)) throw problem('unknown_host')
        if (operation.rateLimit?.by === 'ip') await bounded(limitRate(addressKey(request.ip)))
        principal = isPublic
          ? anonymousPrincipal(describeActor(request))
          : await bounded(options.gate.authenticate(request))
        handled.askAhead?.(request, principal)
        if (operation.rateLimit?.by === 'caller') await bounded(limitRate(principal.id))
        const params = parse.params(readParams(context, operation))
        const query = parse.query(readSearch(context.req.url))
        const reading = parse.body(incoming)
        const body = reading && (await reading)
        const admission: Admission = isPublic
          ? { principal, accountId: undefined, projectId: undefined }
          : await bounded(options.gate.authorize(operation, principal, { params, query, body }))
        principal = admission.principal
        if (operation.entitlement && admission.accountId !== undefined) {
          await bounded(requireEntitlement(admission.accountId))
        }

        if (operation.deadlineMs === null && !isPublic) {
          options.streams?.watch({ request, operation, admission, input: { params, query, body } }, outgoing)
        }
        call = new LiveCall({ params, query, body, request, admission, gate: options.gate, outgoing })
        const result = await run(handled, call, options)
        if (options.validateResponses) checkResult(operation, result)
        const response = await writeAnswer(result, { operation, incoming, outgoing, headers })
        finish(outgoing.headersSent ? outgoing.statusCode : response.status, undefined)
        return response
      } catch (error) {
        return refuse(error)
      }

      function refuse(error: unknown): Response {
        const known = toProblem(error, operation, options)
        const isFault = known !== error || known.code === 'internal'
        finish(known.status, known, isFault ? (known.cause ?? known) : undefined)
        if (outgoing.headersSent) {
          // Half an answer is out: only a cut connection tells the reader that it is not whole.
          outgoing.destroy()
          return RESPONSE_ALREADY_SENT
        }
        Object.assign(headers, known.headers, { 'content-type': 'application/json; charset=utf-8' })
        return respond(JSON.stringify(renderProblem(known, path, request.id)), known.status, headers)
      }

      async function limitRate(key: string): Promise<void> {
        await options.limitRate?.(operation, key)
      }

      async function requireEntitlement(accountId: string): Promise<void> {
        await options.requireEntitlement?.(operation, accountId)
      }

      function finish(status: number, refused: Problem | undefined, fault?: unknown): void {
        const durationMs = performance.now() - startedAtMs
        options.onFinished({
          request,
          principal: call?.recorded ?? principal,
          status,
          durationMs,
          problem: refused,
          fault,
        })
      }
    }
  }
}

function run(handled: Handled, call: LiveCall<AnyOperation>, options: PassOptions): unknown {
  const { operation } = handled
  const key = operation.idempotent ? call.request.incoming.headers['idempotency-key'] : undefined
  if (typeof key === 'string' && options.replay) {
    const once = options.replay(call, key, async () => handled.run(call))
    return withDeadline(once, operation, options, () => call.expire())
  }
  const result = handled.run(call)
  return result instanceof Promise ? withDeadline(result, operation, options, () => call.expire()) : result
}

function withDeadline<T>(
  work: Promise<T>,
  { deadlineMs }: AnyOperation,
  { deadlines }: PassOptions,
  onExpire: () => void,
): Promise<T> {
  return deadlineMs === null ? work : deadlines.within(work, deadlineMs, onExpire)
}

function readParams(context: HttpContext, operation: AnyOperation): Record<string, string> {
  if (!operation.path.includes(':')) return {}
  requireUtf8(context.req.path, 'path')
  return context.req.param()
}

function readSearch(url: string): string {
  const start = url.indexOf('?')
  if (start === -1) return ''
  const search = url.slice(start + 1)
  requireUtf8(search, 'query')
  return search
}

/** Percent-encoded bytes that are no UTF-8 would otherwise be replaced silently. */
function requireUtf8(encoded: string, where: string): void {
  if (!encoded.includes('%')) return
  try {
    decodeURIComponent(encoded)
  } catch (cause) {
    throw problem('invalid_encoding', { say: `The ${where} is not valid percent-encoded UTF-8.`, cause })
  }
}

/** Anything that is not a refusal is a fault of ours: 500, or 503 if it passes, with no detail; the log has it. */
function toProblem(error: unknown, operation: AnyOperation, { validateResponses, isPassing }: PassOptions): Problem {
  if (!Problem.isInstance(error))
    return isPassing?.(error) ? comeAgain(operation, error) : problem('internal', { cause: error })
  if (!validateResponses || operation.errors.includes(error.code) || impliedErrors(operation).includes(error.code))
    return error
  return problem('internal', {
    cause: new Error(`${operation.id} answered with ${error.code}, which its contract does not declare`, {
      cause: error,
    }),
  })
}

/** Nobody knows whether what was under way when the database went had been written. */
function comeAgain({ method, idempotent }: AnyOperation, cause: unknown): Problem {
  const headers = { 'retry-after': '1' }
  if (method === 'GET') return problem('unavailable', { headers, cause })
  const repeat = idempotent ? 'repeat it with the same Idempotency-Key, or ' : ''
  const next = `In a few seconds, ${repeat}look whether it was done before you repeat it.`
  return problem('unavailable', { headers, cause, next })
}

function checkResult(operation: AnyOperation, result: unknown): void {
  if (isPayload(operation.returns)) return
  const body =
    typeof result === 'object' && result !== null && 'body' in result && 'headers' in result ? result.body : result
  const parsed = operation.returns.safeParse(body)
  if (parsed.success) return
  throw new Error(`${operation.id} returned what its contract does not declare: ${parsed.error.message}`)
}
