import type { Identity } from '../client/account-calls.ts'
import { isRecord, toRecord, toText } from '../wire/read-value.ts'
import type { CheckedOptions } from './svc-auth-options.ts'
import { SvcAuthError } from './svc-auth-options.ts'

/** What the session cookie holds. */
export interface AppSession {
  readonly accessToken: string
  readonly refreshToken: string
  /** When the access token ends, in milliseconds since 1970. */
  readonly expiresAt: number
  /** When the person has to sign in again. */
  readonly endsAt: number
  readonly scopes: readonly string[]
  readonly userId: string
  readonly email: string | null
  readonly accounts: Identity['accounts']
}

/** A cookie has room for about four kilobytes, so for no more accounts than this. */
const MAX_ACCOUNTS = 12
const EARLY_MS = 30_000
/** A browser that sends many requests at once sends them with the same refresh token; they share one answer. */
const SHARE_MS = 10_000

/** A token counts as expired half a minute early, so that it does not end on its way. */
export const isExpired = (session: AppSession): boolean => session.expiresAt - EARLY_MS <= Date.now()

/** A session from a cookie that was opened, or undefined. */
export function readSession(value: unknown): AppSession | undefined {
  if (!isRecord(value) || typeof value.accessToken !== 'string' || typeof value.endsAt !== 'number') return undefined
  return value.endsAt > Date.now() ? (value as unknown as AppSession) : undefined
}

/** Talks to the token routes of the service for one app. */
export function createTokenClient(options: CheckedOptions) {
  const recent = new Map<string, Promise<AppSession>>()

  async function signIn(code: string, verifier: string): Promise<AppSession> {
    const tokens = await askForTokens('token_exchange_failed', {
      grant_type: 'authorization_code',
      code,
      redirect_uri: options.redirectUri,
      code_verifier: verifier,
    })
    const identity = toRecord(await readIdentity(tokens.accessToken))
    const accounts = Array.isArray(identity.accounts) ? identity.accounts.slice(0, MAX_ACCOUNTS) : []
    const endsAt = Date.now() + options.sessionTtlSeconds * 1000
    const email = toText(identity.email) || null
    return { ...tokens, endsAt, userId: toText(identity.user_id), email, accounts }
  }

  /** Renews a session; the same refresh token asked for again within seconds gets the same answer. */
  function refresh(session: AppSession): Promise<AppSession> {
    const key = session.refreshToken
    const shared = recent.get(key)
    if (shared) return shared
    const renewed = askForTokens('refresh_failed', { grant_type: 'refresh_token', refresh_token: key }).then(
      (tokens) => ({ ...session, ...tokens }),
    )
    recent.set(key, renewed)
    const forget = (): boolean => recent.delete(key)
    // A failed renewal may be asked for again at once.
    renewed.then(() => setTimeout(forget, SHARE_MS), forget)
    return renewed
  }

  async function revoke(session: AppSession): Promise<void> {
    // Signing out clears the cookie whatever the service says.
    await post('oauth/revoke', { token: session.refreshToken }).catch(() => undefined)
  }

  async function askForTokens(code: 'token_exchange_failed' | 'refresh_failed', form: Record<string, string>) {
    let status = 502
    let body: Record<string, unknown> = {}
    try {
      const reply = await post('oauth/token', form)
      status = reply.status
      body = toRecord(await reply.json())
    } catch {
      // No reply, or one that is not JSON: the sentence below says what it means for the person who signs in.
    }
    const [accessToken, refreshToken] = [toText(body.access_token), toText(body.refresh_token)]
    if (status >= 400 || accessToken === '') {
      const refused = status >= 400 && status < 500
      throw new TokenFailure(code, toText(body.error_description) || 'The service gave no token.', refused ? 400 : 502)
    }
    const lifeMs = (typeof body.expires_in === 'number' ? body.expires_in : 3600) * 1000
    const scopes = (toText(body.scope) || options.scopes.join(' ')).split(' ')
    return { accessToken, refreshToken, expiresAt: Date.now() + lifeMs, scopes }
  }

  async function readIdentity(token: string): Promise<unknown> {
    try {
      const headers = { authorization: `Bearer ${token}` }
      const reply = await options.fetch(`${options.backendUrl}/accounts/me`, { headers })
      if (reply.ok) return await reply.json()
    } catch {
      // Answered below like a refusal: a session without an owner is of no use.
    }
    throw new TokenFailure('token_exchange_failed', 'The service did not say who signed in.', 502)
  }

  function post(path: string, form: Record<string, string>): Promise<Response> {
    const secret = options.clientSecret ? { client_secret: options.clientSecret } : {}
    const body = new URLSearchParams({ ...form, client_id: options.clientId, ...secret })
    return options.fetch(`${options.backendUrl}/${path}`, { method: 'POST', body })
  }

  return { signIn, refresh, revoke }
}

/** A failed exchange, with the status that the browser is answered. */
export class TokenFailure extends SvcAuthError {
  readonly status: 400 | 502

  constructor(code: 'token_exchange_failed' | 'refresh_failed', message: string, status: 400 | 502) {
    super(code, message)
    this.status = status
  }
}
