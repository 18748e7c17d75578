import type { SvcClient } from '../client/svc-client.ts'
import type { SvcConfig } from '../config/svc-config.ts'
import { toRecord, toText } from '../wire/read-value.ts'
import { type AppSession, createTokenClient, isExpired, readSession, TokenFailure } from './app-session.ts'
import { createScopedSvc } from './create-scoped-svc.ts'
import { findCrypto } from './find-crypto.ts'
import { forwardSvcRequest } from './forward-request.ts'
import { createCookieSealer, toBase64Url } from './seal-cookie.ts'
import { checkOptions, SvcAuthError, type SvcAuthOptions, toReturnPath } from './svc-auth-options.ts'

/** Who is signed in. */
export interface Viewer {
  readonly userId: string
  readonly email: string | null
  readonly accounts: AppSession['accounts']
  readonly scopes: readonly string[]
  readonly token: string
  /** Milliseconds since 1970. */
  readonly expiresAt: number
}

/** Sign-in with accounts of the service, for a server of the app. */
export interface SvcAuth {
  readonly basePath: string
  /** Answers `/signin`, `/callback`, `/refresh`, `/signout`, `/me` and `/proxy/*` below `basePath`. */
  handler(request: Request): Promise<Response>
  /** Who is signed in, or null. Never renews. */
  viewer(request: Request): Promise<Viewer | null>
  requireViewer(request: Request): Promise<{ viewer: Viewer } | { response: Response }>
  /** A client that acts as the viewer. Rejects with code `unauthenticated`. */
  svc(request: Request): Promise<SvcClient>
  signInUrl(returnTo?: string): string
  signOutUrl(returnTo?: string): string
  /** For `createSvc` in the browser: the proxy puts the real token in. */
  clientConfig(origin?: string): Pick<SvcConfig, 'backendUrl' | 'getToken'>
}

const TRANSACTION_SECONDS = 600
const SENTINEL = 'svc-proxy'

/**
 * Signs people in with their accounts of the service (authorization code with PKCE). The session lives in a sealed
 * cookie; nothing is stored on the server.
 *
 * @example
 * const auth = createSvcAuth({ backendUrl, clientId, clientSecret, redirectUri, cookieSecret })
 * if (new URL(request.url).pathname.startsWith(auth.basePath)) return auth.handler(request)
 */
export function createSvcAuth(given: SvcAuthOptions): SvcAuth {
  const options = checkOptions(given)
  const { basePath, isHttps } = options
  const sealer = createCookieSealer(options.cookieSecret)
  const tokens = createTokenClient(options)
  const prefix = isHttps ? '__Host-' : ''
  const [sessionCookie, transactionCookie] = [`${prefix}svc_session`, `${prefix}svc_oauth_txn`]
  const origin = new URL(options.redirectUri).origin

  const routes: Record<string, (request: Request, url: URL) => Promise<Response>> = {
    '/signin': startSignIn,
    '/callback': finishSignIn,
    '/refresh': refreshAndReturn,
    '/signout': signOut,
    '/me': describeMe,
  }

  async function handler(request: Request): Promise<Response> {
    const url = new URL(request.url)
    const path = url.pathname.startsWith(`${basePath}/`) ? url.pathname.slice(basePath.length) : ''
    if (path.startsWith('/proxy/')) return proxy(request, url, path.slice('/proxy/'.length))
    const route = Object.hasOwn(routes, path) ? routes[path] : undefined
    return route ? route(request, url) : fail(404, 'not_found', 'Nothing is answered here.')
  }

  async function startSignIn(_request: Request, url: URL): Promise<Response> {
    const crypto = await findCrypto()
    const randomText = (): string => toBase64Url(crypto.getRandomValues(new Uint8Array(32)))
    const state = randomText()
    const verifier = randomText()
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
    const query = new URLSearchParams({
      client_id: options.clientId,
      redirect_uri: options.redirectUri,
      response_type: 'code',
      scope: options.scopes.join(' '),
      state,
      code_challenge: toBase64Url(new Uint8Array(digest)),
      code_challenge_method: 'S256',
    })
    const returnTo = toReturnPath(url.searchParams.get('return_to'))
    const endsAt = Date.now() + TRANSACTION_SECONDS * 1000
    const sealed = await sealer.seal(transactionCookie, { state, verifier, returnTo, endsAt })
    return redirect(`${options.backendUrl}/oauth/authorize?${query}`, [
      printCookie(transactionCookie, sealed, TRANSACTION_SECONDS),
    ])
  }

  async function finishSignIn(request: Request, url: URL): Promise<Response> {
    const begun = toRecord(await sealer.open(transactionCookie, readCookie(request, transactionCookie)))
    const isFresh = typeof begun.endsAt === 'number' && begun.endsAt > Date.now()
    if (!isFresh || !begun.state || begun.state !== url.searchParams.get('state')) {
      return fail(400, 'state_mismatch', 'This sign-in was not started here, or too long ago. Start again.')
    }
    const code = url.searchParams.get('code')
    const spent = [clearCookie(transactionCookie)]
    if (!code) {
      const reason = url.searchParams.get('error_description') ?? 'The sign-in was not finished.'
      return fail(400, 'invalid_callback', reason, spent)
    }
    try {
      const session = await tokens.signIn(code, toText(begun.verifier))
      return redirect(toReturnPath(toText(begun.returnTo)), [...spent, await sealSession(session)])
    } catch (error) {
      if (!(error instanceof TokenFailure)) throw error
      return fail(error.status, error.code, error.message, spent)
    }
  }

  async function refreshAndReturn(request: Request, url: URL): Promise<Response> {
    const returnTo = toReturnPath(url.searchParams.get('return_to'))
    const session = await openSession(request)
    if (!session) return redirect(signInUrl(returnTo))
    const renewed = await tokens.refresh(session).catch(() => undefined)
    if (!renewed) return redirect(signInUrl(returnTo), [clearCookie(sessionCookie)])
    return redirect(returnTo, [await sealSession(renewed)])
  }

  async function signOut(request: Request, url: URL): Promise<Response> {
    const session = await openSession(request)
    if (session) await tokens.revoke(session)
    return redirect(toReturnPath(url.searchParams.get('return_to')), [clearCookie(sessionCookie)])
  }

  async function describeMe(request: Request): Promise<Response> {
    const { session, cookies } = await renewedSession(request)
    if (!session) return fail(401, 'unauthenticated', 'Nobody is signed in.', cookies)
    const { userId, email, accounts, scopes, expiresAt } = session
    return withCookies(Response.json({ user_id: userId, email, accounts, scopes, expires_at: expiresAt }), cookies)
  }

  async function proxy(request: Request, url: URL, rest: string): Promise<Response> {
    const from = request.headers.get('origin')
    if (from !== null && from !== origin) {
      return fail(403, 'forbidden', 'Only pages of this app may use its session.')
    }
    const { session, cookies } = await renewedSession(request)
    if (!session) return fail(401, 'unauthenticated', 'Nobody is signed in.', cookies)
    const upstreamUrl = `${options.backendUrl}/${rest.replace(/^v1\//, '')}${url.search}`
    const { fetch } = options
    return withCookies(await forwardSvcRequest({ request, upstreamUrl, token: session.accessToken, fetch }), cookies)
  }

  /** The session, renewed when it has to be, and the cookies that say so. */
  async function renewedSession(request: Request): Promise<{ session: AppSession | undefined; cookies: string[] }> {
    const session = await openSession(request)
    if (!session || !isExpired(session)) return { session, cookies: [] }
    try {
      const renewed = await tokens.refresh(session)
      return { session: renewed, cookies: [await sealSession(renewed)] }
    } catch (error) {
      const isOver = error instanceof TokenFailure && error.status === 400
      return { session: undefined, cookies: isOver ? [clearCookie(sessionCookie)] : [] }
    }
  }

  async function viewer(request: Request): Promise<Viewer | null> {
    const session = await openSession(request)
    return session && !isExpired(session) ? toViewer(session) : null
  }

  async function requireViewer(request: Request): Promise<{ viewer: Viewer } | { response: Response }> {
    const session = await openSession(request)
    if (session && !isExpired(session)) return { viewer: toViewer(session) }
    const { pathname, search } = new URL(request.url)
    const returnTo = toReturnPath(pathname + search)
    return { response: redirect(session ? link('refresh', returnTo) : signInUrl(returnTo)) }
  }

  async function svc(request: Request): Promise<SvcClient> {
    const found = await viewer(request)
    if (!found) throw new SvcAuthError('unauthenticated', 'Nobody is signed in. Send the browser to signInUrl().')
    return createScopedSvc({ backendUrl: options.backendUrl, getToken: async () => found.token, fetch: options.fetch })
  }

  const openSession = async (request: Request) =>
    readSession(await sealer.open(sessionCookie, readCookie(request, sessionCookie)))
  const sealSession = async (session: AppSession) =>
    printCookie(sessionCookie, await sealer.seal(sessionCookie, session), secondsLeft(session))
  const link = (route: string, returnTo?: string) =>
    `${basePath}/${route}${returnTo ? `?return_to=${encodeURIComponent(toReturnPath(returnTo))}` : ''}`
  const signInUrl = (returnTo?: string) => link('signin', returnTo)
  const clearCookie = (name: string) => printCookie(name, '', 0)

  function printCookie(name: string, value: string, maxAgeSeconds: number): string {
    const secure = isHttps ? '; Secure' : ''
    return `${name}=${value}; Path=/; HttpOnly; SameSite=${options.sameSite}; Max-Age=${maxAgeSeconds}${secure}`
  }

  return {
    basePath,
    handler,
    viewer,
    requireViewer,
    svc,
    signInUrl,
    signOutUrl: (returnTo) => link('signout', returnTo),
    clientConfig: (from = origin) => ({ backendUrl: `${from}${basePath}/proxy`, getToken: async () => SENTINEL }),
  }
}
const secondsLeft = ({ endsAt }: AppSession): number => Math.max(0, Math.floor((endsAt - Date.now()) / 1000))

function toViewer({ userId, email, accounts, scopes, accessToken, expiresAt }: AppSession): Viewer {
  return { userId, email, accounts, scopes, token: accessToken, expiresAt }
}

function readCookie(request: Request, name: string): string | undefined {
  for (const pair of (request.headers.get('cookie') ?? '').split(';')) {
    const [key, ...value] = pair.trim().split('=')
    if (key === name) return value.join('=')
  }
  return undefined
}

function withCookies(response: Response, cookies: readonly string[]): Response {
  for (const cookie of cookies) response.headers.append('set-cookie', cookie)
  return response
}

const redirect = (location: string, cookies: readonly string[] = []): Response =>
  withCookies(new Response(null, { status: 302, headers: { location, 'cache-control': 'no-store' } }), cookies)

const fail = (status: number, code: string, sentence: string, cookies: readonly string[] = []): Response =>
  withCookies(Response.json({ error: code, error_description: sentence, code }, { status }), cookies)
