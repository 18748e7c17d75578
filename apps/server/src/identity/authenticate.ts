import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Actor } from '../kernel/actor.ts'
import { describeActor, isOnPreviewHost, type Problem, problem, type RequestFacts } from '../kernel/http/index.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { Principal } from '../kernel/principal.ts'
import { checkToken, readTokenPrefix } from '../kernel/tokens/index.ts'
import { createCredentialCache } from './credential-cache.ts'
import type { CredentialSource, FoundCredential } from './credential-source.ts'
import {
  createPreviewCredentials,
  isSealed,
  type PreviewCredentials,
  readPreviewCredential,
  readQueryToken,
} from './preview-credential.ts'
import { createUseRecorder } from './record-use.ts'
import type { Revocations } from './revocations.ts'
import { hasSessionTokenShape } from './sessions/session-tokens.ts'

export interface Authenticator {
  /** The principal behind the request's bearer credential, or a thrown 401. */
  authenticate(request: RequestFacts): Promise<Principal>
  /** Whether a text is a credential of the platform, or made to look like one. */
  isCredential(value: string): Promise<boolean>
  /** How a browser keeps a token for previews. */
  readonly previews: PreviewCredentials
  /** Adds a family of credentials. */
  addSource(source: CredentialSource): void
  /** Writes down what is still to be written. */
  stop(): Promise<void>
}

/**
 * Tells the families of credentials apart by their prefix, refuses mistyped ones without a database read, and
 * remembers a good one for at most a second; a revocation on any node ends that at once.
 */
export function createAuthenticator(
  kernel: Kernel,
  revocations: Revocations,
  initial: readonly CredentialSource[],
): Authenticator {
  const sources = new Map<string, CredentialSource>()
  const addSource = (source: CredentialSource) => void sources.set(source.prefix ?? '', source)
  for (const source of initial) addSource(source)
  const cache = createCredentialCache(kernel.clock)
  revocations.onRevoked((ids) => cache.forget(ids))
  const uses = createUseRecorder(kernel)
  const previews = createPreviewCredentials(kernel.tokenHasher, kernel.clock.nowMs)

  /** What each connection sent last, hashed. A caller who stays is hashed once; whether it is good is asked each time. */
  const hashes = new WeakMap<Socket, ReadonlyMap<string, string>>()

  function hashOnce(token: string, { socket }: IncomingMessage): string {
    // Found by a map: comparing texts would tell by its time how much of another caller's token was guessed.
    const known = hashes.get(socket)?.get(token)
    if (known !== undefined) return known
    const hash = kernel.tokenHasher.hashToken(token)
    hashes.set(socket, new Map([[token, hash]]))
    return hash
  }

  async function find(
    token: string,
    source: CredentialSource,
    hash = kernel.tokenHasher.hashToken(token),
  ): Promise<FoundCredential | undefined> {
    const known = cache.read(hash)
    if (known) return known
    const remember = cache.begin(hash)
    const found = await source.find(hash)
    if (found) remember(found)
    return found
  }

  async function isCredential(value: string): Promise<boolean> {
    if (isSealed(value) || readTokenPrefix(value) !== undefined) return true
    const source = sources.get('')
    return source !== undefined && hasSessionTokenShape(value) && (await find(value, source)) !== undefined
  }

  /** On a preview's own host an address may hold a token of the preview. */
  async function isOfPreview({ incoming }: RequestFacts): Promise<boolean> {
    const given = isOnPreviewHost(incoming) ? readQueryToken(incoming.url ?? '') : undefined
    return given !== undefined && !(await isCredential(given))
  }

  async function authenticate(request: RequestFacts): Promise<Principal> {
    const token = readCredential(request, previews, await isOfPreview(request))
    const prefix = readTokenPrefix(token)
    const source = sources.get(prefix ?? '')
    const isWellFormed = prefix ? checkToken(token).ok : hasSessionTokenShape(token)
    if (!isWellFormed || !source) throw refuse(request, 'Invalid or expired token')
    if (source.worksAt && !source.worksAt(request.operation.path)) {
      throw refuse(request, 'This key works on the model gateway only')
    }
    if (prefix && isHeadlessBearerRoute(request))
      throw refuse(request, 'This route takes a sign-in session’s token only')
    const found = await find(token, source, hashOnce(token, request.incoming))
    if (!found || isExpired(found, kernel.clock.nowMs())) throw refuse(request, 'Invalid or expired token')
    uses.note(source, found)
    return toPrincipal(found, request)
  }

  return { authenticate, isCredential, previews, addSource, stop: () => uses.stop() }
}

export function toPrincipal({ principal, actor, expiresAt }: FoundCredential, request: RequestFacts): Principal {
  const acting: Actor = {
    ...describeActor(request),
    ...actor,
    // A trigger's automation acts for nobody in particular.
    ...(principal.isAutomation ? {} : { userId: principal.id }),
    ...(principal.homeAccountId === undefined ? {} : { accountId: principal.homeAccountId }),
    ...(principal.boundProjectId === undefined ? {} : { projectId: principal.boundProjectId }),
    ...(principal.sessionId === undefined ? {} : { sessionId: principal.sessionId }),
  }
  const endsAt = principal.authType === 'session' ? undefined : (expiresAt ?? undefined)
  return { ...principal, expiresAt: endsAt, actor: acting }
}

/**
 * `Bearer` everywhere; git sends its password by `Basic`, and any user name; a browser that opens a preview shows a
 * ticket or a cookie.
 */
function readCredential(request: RequestFacts, previews: PreviewCredentials, ignoresAddress: boolean): string {
  const header = request.incoming.headers.authorization
  const preview = isPreview(request) ? readPreviewCredential(request.incoming, previews, { ignoresAddress }) : undefined
  if (preview !== undefined) return preview
  if (isOnPreviewHost(request.incoming)) throw refuse(request, 'Open this preview from the dashboard')
  const basic = isGit(request) ? readBasicPassword(request.incoming) : undefined
  if (basic !== undefined) return basic
  const apiKey = isGateway(request) ? request.incoming.headers['x-api-key'] : undefined
  if (header === undefined && typeof apiKey === 'string' && apiKey !== '') return apiKey.trim()
  const bearer = header === undefined ? undefined : /^bearer(?:\s+(.*))?$/i.exec(header)
  if (!bearer) throw refuse(request, 'Missing or invalid Authorization header')
  const token = (bearer[1] ?? '').trim()
  if (token === '') throw refuse(request, 'Missing token')
  return token
}

function readBasicPassword({ headers }: IncomingMessage): string | undefined {
  const encoded = /^basic\s+([A-Za-z0-9+/=_-]+)$/i.exec(headers.authorization ?? '')?.[1]
  if (encoded === undefined) return undefined
  const pair = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = pair.indexOf(':')
  return colon === -1 ? undefined : pair.slice(colon + 1)
}

function isGit(request: RequestFacts): boolean {
  return request.operation.path.startsWith('/v1/git/')
}

/** Anthropic's own client sends its key in a header of its own. */
function isGateway(request: RequestFacts): boolean {
  return request.operation.path.startsWith('/v1/llm/')
}

/** Requests into a sandbox; the routes beside them take the header only. */
function isPreview({ operation }: RequestFacts): boolean {
  return operation.path.startsWith('/v1/p/:sandboxId')
}

/** The three bearer routes of headless sign-in take no token of any other family. */
function isHeadlessBearerRoute({ operation }: RequestFacts): boolean {
  return operation.path.startsWith('/v1/auth/') && operation.needs === 'identity-session'
}

function isExpired({ expiresAt }: FoundCredential, nowMs: number): boolean {
  return expiresAt !== null && expiresAt.getTime() <= nowMs
}

function refuse(request: RequestFacts, say: string): Problem {
  if (isGateway(request)) return refuseAtGateway(request, say)
  const code = request.operation.errors.includes('invalid_token') ? 'invalid_token' : 'unauthorized'
  const headers = isGit(request) ? { 'www-authenticate': 'Basic realm="git"' } : {}
  return problem(code, { say, headers })
}

/** The gateway takes keys and tokens, and no sign-in; one that was not sent is told from one that is no good. */
function refuseAtGateway({ incoming, operation }: RequestFacts, say: string): Problem {
  const { authorization, 'x-api-key': apiKey } = incoming.headers
  const isMissing = (authorization ?? '') === '' && (apiKey ?? '') === ''
  if (isMissing && operation.errors.includes('missing_token')) return problem('missing_token')
  const next =
    'Send a gateway key, a personal access token or the token of a session as `Authorization: Bearer <key>` or `x-api-key: <key>`.'
  return problem('invalid_token', { say, next })
}
