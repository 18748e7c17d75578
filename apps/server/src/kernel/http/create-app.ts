import type { HttpBindings } from '@hono/node-server'
import { type AnyOperation, operation as declare, isPayload, nothing } from '@svc/contract'
import { Hono } from 'hono'
import { answer } from './answer.ts'
import { type Handled, handle } from './handle.ts'
import { createPass, type HttpContext, type PassOptions } from './pass.ts'
import { problem } from './problem.ts'
import { isCrossOrigin, preflightHeaders } from './response-headers.ts'

export interface App {
  readonly router: Hono<{ Bindings: HttpBindings }>
  /**
   * Operations at one fixed path that send their answers themselves, by method and path. They take the same pass as all
   * others; only the router and its request and response objects are left out, which cost a model call a twentieth.
   */
  readonly direct: ReadonlyMap<string, (context: HttpContext) => Promise<Response>>
}

/**
 * The HTTP application: every operation at its path, preflights, and a clear answer for everything else. Routes exist
 * only through the contract; two handlers for one operation are a mistake and end the start.
 */
export function createApp(handlers: readonly Handled[], options: PassOptions): App {
  const router = new Hono<{ Bindings: HttpBindings }>()
  const bind = createPass(options)
  const bound = new Set<string>()
  const direct = new Map<string, (context: HttpContext) => Promise<Response>>()
  for (const handled of handlers) {
    const { id, method, path } = handled.operation
    if (bound.has(id)) throw new TypeError(`Two handlers for operation ${id}`)
    bound.add(id)
    const answer = bind(handled)
    router.on(method, path, answer)
    if (isSentByHandler(handled.operation)) direct.set(`${method} ${path}`, answer)
  }

  const preflight = bind(
    handle(preflightOperation, ({ request }) => answer(undefined, { headers: allow(request.incoming) })),
  )
  const unmatched = (code: 'not_found' | 'method_not_allowed', allowed?: string) =>
    bind(
      handle(unmatchedOperation, () => {
        throw problem(code, allowed === undefined ? {} : { headers: { allow: allowed } })
      }),
      true,
    )
  const missing = unmatched('not_found')

  router.notFound((context) => {
    const { method, path } = context.req
    if (method === 'OPTIONS' && isCrossOrigin(path)) return preflight(context)
    const allowed = methodsAt(path, handlers, router)
    if (allowed.length === 0) return missing(context)
    return unmatched('method_not_allowed', allowed.join(', '))(context)
  })
  return { router, direct }
}

function isSentByHandler({ returns, path }: AnyOperation): boolean {
  return isPayload(returns) && returns.kind === 'relayed' && !/[:*]/.test(path)
}

/** Names that a preflight asks about are granted when they are ours (`X-Svc-*`) or on the fixed list. */
function allow(incoming: { headers: Record<string, string | string[] | undefined> }): Record<string, string> {
  const asked = String(incoming.headers['access-control-request-headers'] ?? '')
  const ours = asked.split(',').filter((name) => /^\s*x-svc-[a-z0-9-]{1,64}\s*$/i.test(name))
  const fixed = preflightHeaders['access-control-allow-headers']
  return { ...preflightHeaders, 'access-control-allow-headers': [fixed, ...ours.map((name) => name.trim())].join(', ') }
}

function methodsAt(path: string, handlers: readonly Handled[], router: App['router']): string[] {
  const methods = [...new Set(handlers.map((handled) => handled.operation.method))]
  const matching = methods.filter((method) => router.router.match(method, path)[0].length > 0)
  return matching.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
}

const preflightOperation: AnyOperation = declare({
  id: 'http.preflight',
  at: 'GET /v1/preflight',
  summary: 'Answers a CORS preflight',
  needs: 'public',
  audit: 'none',
  returns: nothing,
})

const unmatchedOperation: AnyOperation = declare({
  id: 'http.unmatched',
  at: 'GET /v1/unmatched',
  summary: 'Answers a request that matches no operation',
  needs: 'public',
  audit: 'none',
  returns: nothing,
  errors: ['not_found', 'method_not_allowed'],
})
