import { randomBytes } from 'node:crypto'
import { type AnyOperation, operations } from '@svc/contract'
import type { PageSignIn } from '../identity/index.ts'
import { equalConstantTime } from '../kernel/crypto/index.ts'
import { Answer, type Call, Problem, problem, type RequestFacts } from '../kernel/http/index.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { Principal } from '../kernel/principal.ts'
import { addressKey } from '../kernel/rate-limit/index.ts'
import { html } from './html.ts'
import { type Page, renderPage } from './layout.ts'

export interface PageParts {
  readonly kernel: Kernel
  readonly signIn: PageSignIn
  readonly publicUrl: () => string
}

export interface PageRequest {
  /** For the forms of this page. */
  readonly csrf: string
  /** Whoever is signed in here. */
  readonly principal: Principal | undefined
  show(page: Page, options?: ShowOptions): Answer<string>
  /** After a form: to another page, perhaps with a new session. */
  go(path: string, session?: string | null): Answer<string>
  /** To another site, which sends the browser back; until then it keeps this. */
  leave(url: string, kept: string): Answer<string>
  /** What the browser kept since it left. */
  readonly kept: string | undefined
}

interface ShowOptions {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Origins that a form here may end at, besides our own. */
  readonly formTargets?: readonly string[]
}

type PageCall = Pick<Call, 'request' | 'identify'>

/** How long a sign-in elsewhere may take. */
const awaySeconds = 600

/** What every page needs to know of its request: the cookie session, and a token for its forms. */
export async function readPageRequest(parts: PageParts, call: PageCall): Promise<PageRequest> {
  const { request } = call
  const isSecure = parts.publicUrl().startsWith('https:')
  const name = (plain: string) => (isSecure ? `__Host-${plain}` : plain)
  const cookie = (plain: string, value: string, maxAgeSeconds: number | undefined) =>
    [
      `${name(plain)}=${value}`,
      'Path=/',
      'HttpOnly',
      'SameSite=Lax',
      ...(isSecure ? ['Secure'] : []),
      ...(maxAgeSeconds === undefined ? [] : [`Max-Age=${maxAgeSeconds}`]),
    ].join('; ')

  const cookies = readCookies(request.incoming.headers.cookie)
  const known = cookies.get(name('svc_form'))
  const nonce = known !== undefined && /^[\w-]{22}$/.test(known) ? known : randomBytes(16).toString('base64url')
  const session = cookies.get(name('svc_page'))
  const kept = cookies.get(name('svc_away'))
  const csrf = parts.kernel.tokenHasher.hashToken(`form ${nonce}`)
  const principal = session === undefined ? undefined : await parts.signIn.find(session, request)
  if (principal) call.identify(principal)
  return {
    csrf,
    principal,
    show(page, { status = 200, headers = {}, formTargets = [] } = {}) {
      const fresh = nonce === known ? {} : { 'set-cookie': cookie('svc_form', nonce, undefined) }
      return new Answer(renderPage(page), { status, headers: { ...pageHeaders(formTargets), ...headers, ...fresh } })
    },
    go(path, token) {
      const ttl = token === null ? 0 : parts.signIn.sessionTtlMs / 1_000
      const set = token === undefined ? {} : { 'set-cookie': cookie('svc_page', token ?? '', ttl) }
      return new Answer('', { status: 303, headers: { location: path, ...set } })
    },
    leave: (url, value) =>
      new Answer('', { status: 303, headers: { location: url, 'set-cookie': cookie('svc_away', value, awaySeconds) } }),
    kept,
  }
}

/** A form counts only when it came from a page of ours: the browser says so, and the token proves it. */
export function requireOwnForm(request: RequestFacts, page: PageRequest, csrf: string): void {
  const { headers } = request.incoming
  const site = headers['sec-fetch-site']
  const isSameSite = site === undefined || site === 'same-origin' || site === 'none'
  const { origin } = headers
  const isSameOrigin = origin === undefined || origin === 'null' || hostOf(origin) === headers.host
  if (isSameSite && isSameOrigin && equalConstantTime(page.csrf, csrf)) return
  throw problem('forbidden', {
    say: 'This form is no longer valid.',
    next: 'Go back, reload the page and send it again.',
  })
}

/** Pages share the limit of the call they stand for: neither is a way around the other. */
export async function limitLike(kernel: Kernel, operation: AnyOperation, ip: string): Promise<void> {
  const { limit = 30, windowMs = 60_000 } = operation.rateLimit ?? {}
  const take = await kernel.rateLimits.rateLimit({ name: `call:${operation.id}`, limit, windowMs }).take(addressKey(ip))
  if (take.allowed) return
  throw problem('over_request_rate_limit', { headers: { 'retry-after': String(take.retryAfterSeconds) } })
}

/** A refusal as a page. Anything else is a fault of ours and goes on. */
export function showProblem(page: PageRequest, error: unknown): Answer<string> {
  if (!Problem.isInstance(error)) throw error
  const { message, next, status, headers } = error
  const body = html`<p>${next ?? 'Check the address, or ask whoever sent it to you.'}</p><p><a href="/sign-in">Sign in</a></p>`
  return page.show({ title: message, body }, { status, headers })
}

export const { auth } = operations

function pageHeaders(formTargets: readonly string[]): Record<string, string> {
  const forms = ["'self'", ...formTargets].join(' ')
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `default-src 'none'; style-src 'self'; img-src 'self'; form-action ${forms}; base-uri 'none'; frame-ancestors 'none'`,
    'cross-origin-opener-policy': 'same-origin',
  }
}

function readCookies(header: string | undefined): Map<string, string> {
  const pairs = (header ?? '').split(';').map((pair) => pair.trim().split('='))
  return new Map(pairs.map(([name = '', ...value]) => [name, value.join('=')]))
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined
}
