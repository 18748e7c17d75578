import { platformConfig } from '../config/platform-config.ts'
import type { AuthSession, AuthUser, SignedIn } from '../generated/operations.ts'
import { attempt, parseJson } from '../wire/parse-json.ts'
import { isRecord, toRecord } from '../wire/read-value.ts'
import { callAuth } from './call-auth.ts'

type Maybe<T> = T | Promise<T>

/** One string slot, sync or async: local storage, a cookie, a keychain. */
export interface SessionStorage {
  get(): Maybe<string | null | undefined>
  set(value: string): Maybe<unknown>
  remove(): Maybe<unknown>
}

/** How a session store behaves. */
export interface SvcSessionOptions {
  readonly storage?: SessionStorage
  readonly onChange?: (session: AuthSession | null) => void
  /** Refresh this long before the token ends. Default 60. */
  readonly refreshSkewSeconds?: number
  /** Sends the refresh; default `auth.refresh`. */
  readonly request?: (input: { refresh_token: string }) => Promise<unknown>
  /** The clock, in milliseconds since 1970. */
  readonly now?: () => number
}

/** A signed-in session that keeps and refreshes itself. */
export interface SvcSession {
  /** For `createSvc`: a token that is good now, or null when signed out. */
  getToken(): Promise<string | null>
  set(session: AuthSession | null, user?: AuthUser | null): Promise<void>
  /** At most one refresh runs at a time. A refusal signs out; any other failure keeps the session and rejects. */
  refresh(): Promise<AuthSession | null>
  current(): AuthSession | null
  user(): AuthUser | null
  load(): Promise<AuthSession | null>
  clear(): Promise<void>
  subscribe(listener: (session: AuthSession | null) => void): () => void
}

/**
 * A session store: give its `getToken` to `createSvc`, and what signing in answers to its `set`.
 *
 * @example
 * const session = createSvcSession({ storage })
 * const svc = createSvc({ backendUrl, getToken: session.getToken })
 */
export function createSvcSession(options: SvcSessionOptions = {}): SvcSession {
  const { storage, onChange, refreshSkewSeconds = 60, now = Date.now } = options
  const request = options.request ?? ((input) => callAuth(platformConfig, 'refresh', input))
  const listeners = new Set<(session: AuthSession | null) => void>()
  let session: AuthSession | null = null
  let user: AuthUser | null = null
  /** Counts decisions: what was read or asked for before the latest one is void. */
  let version = 0
  let loading: Promise<void> | undefined
  let refreshing: Promise<AuthSession | null> | undefined

  async function set(next: AuthSession | null, nextUser: AuthUser | null = next ? user : null): Promise<void> {
    version++
    session = next
    user = nextUser
    const saved = next ? storage?.set(JSON.stringify({ session, user })) : storage?.remove()
    // A listener that throws must not keep the session from being stored or the others from being told.
    for (const listener of [onChange, ...listeners]) attempt(() => listener?.(next))
    await saved
  }

  async function load(): Promise<AuthSession | null> {
    loading ??= readStored().catch((error: unknown) => {
      loading = undefined
      throw error
    })
    await loading
    return session
  }

  async function readStored(): Promise<void> {
    const before = version
    const stored = toRecord(parseJson((await storage?.get()) ?? '')?.value)
    if (version !== before || !isSession(stored.session)) return
    session = stored.session
    user = isUser(stored.user) ? stored.user : null
  }

  async function refreshOnce(): Promise<AuthSession | null> {
    await load()
    if (!session) return null
    const before = version
    try {
      const reply = toRecord(await request({ refresh_token: session.refresh_token }))
      if (!isSession(reply.session)) throw new Error('The answer has no session.')
      if (version === before) await set(reply.session, isUser(reply.user) ? reply.user : user)
    } catch (error) {
      // A session that was set or cleared meanwhile wins over this failure.
      if (version !== before) return session
      if (/^4\d\d$/.test(`${toRecord(error).status}`)) await set(null)
      throw error
    }
    return session
  }

  function refresh(): Promise<AuthSession | null> {
    refreshing ??= refreshOnce().finally(() => {
      refreshing = undefined
    })
    return refreshing
  }

  async function getToken(): Promise<string | null> {
    await load()
    const endsMs = ((session?.expires_at ?? Infinity) - refreshSkewSeconds) * 1000
    // Signed out by the refusal, or still signed in with the old token: either way `session` says which.
    if (session && endsMs <= now()) await refresh().catch(() => undefined)
    return session?.access_token ?? null
  }

  return {
    getToken,
    set,
    refresh,
    load,
    current: () => session,
    user: () => user,
    clear: () => set(null),
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

function isSession(value: unknown): value is SignedIn['session'] {
  return isRecord(value) && typeof value.access_token === 'string' && typeof value.refresh_token === 'string'
}

function isUser(value: unknown): value is AuthUser {
  return isRecord(value) && typeof value.id === 'string'
}
