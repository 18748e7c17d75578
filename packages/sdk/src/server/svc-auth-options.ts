import { normalizeBase } from '../config/backend-url.ts'
import type { FetchFunction } from '../config/svc-config.ts'
import { hasMark, markError } from '../errors/mark-error.ts'

/** Why sign-in with accounts of the service did not work. */
export type SvcAuthErrorCode =
  | 'invalid_options'
  | 'unauthenticated'
  | 'state_mismatch'
  | 'invalid_callback'
  | 'token_exchange_failed'
  | 'refresh_failed'

/**
 * Sign-in with accounts of the service failed.
 *
 * @example
 * if (SvcAuthError.isInstance(error) && error.code === 'unauthenticated') return redirect(auth.signInUrl())
 */
export class SvcAuthError extends Error {
  readonly code: SvcAuthErrorCode

  constructor(code: SvcAuthErrorCode, message: string) {
    super(message)
    markError(this, 'SvcAuthError')
    this.code = code
  }

  /** Recognises a `SvcAuthError` of any copy of this package. */
  static isInstance(value: unknown): value is SvcAuthError {
    return hasMark(value, 'SvcAuthError')
  }
}

/** How an app signs people in with their accounts of the service. */
export interface SvcAuthOptions {
  readonly backendUrl: string
  readonly clientId: string
  readonly clientSecret?: string | undefined
  /** Absolute, and byte for byte one that the client was registered with. */
  readonly redirectUri: string
  /** At least 32 characters; seals the cookies. */
  readonly cookieSecret: string
  readonly scopes?: readonly string[] | undefined
  /** Where `handler` answers. Default: the path of `redirectUri` without `/callback`. */
  readonly basePath?: string | undefined
  /** Default 30 days. */
  readonly sessionTtlSeconds?: number | undefined
  readonly fetch?: FetchFunction | undefined
  /** `none` only over https. Default `lax`. */
  readonly cookieSameSite?: 'lax' | 'none' | undefined
}

/** Options that were checked, with every default filled in. */
export interface CheckedOptions {
  readonly backendUrl: string
  readonly clientId: string
  readonly clientSecret: string | undefined
  readonly redirectUri: string
  readonly cookieSecret: string
  readonly scopes: readonly string[]
  readonly basePath: string
  readonly sessionTtlSeconds: number
  readonly fetch: FetchFunction
  readonly sameSite: 'Lax' | 'None'
  readonly isHttps: boolean
}

const DAY_SECONDS = 86_400
const SECRET_CHARS = 32

/** Checks the options; throws `SvcAuthError` with code `invalid_options`. */
export function checkOptions(options: SvcAuthOptions): CheckedOptions {
  const redirect = readUrl(options.redirectUri)
  if (!redirect) throw invalid('redirectUri must be an absolute http(s) address.')
  if (!options.clientId) throw invalid('clientId must name a registered OAuth client.')
  if (typeof options.cookieSecret !== 'string' || options.cookieSecret.length < SECRET_CHARS) {
    throw invalid(`cookieSecret must have at least ${SECRET_CHARS} characters.`)
  }
  if (!readUrl(options.backendUrl)) throw invalid('backendUrl must be an absolute http(s) address.')
  const ttl = options.sessionTtlSeconds ?? 30 * DAY_SECONDS
  if (!Number.isFinite(ttl) || ttl <= 0) throw invalid('sessionTtlSeconds must be a number above zero.')
  const isHttps = redirect.protocol === 'https:'
  const sameSite = options.cookieSameSite ?? 'lax'
  if (sameSite !== 'lax' && sameSite !== 'none') throw invalid('cookieSameSite must be "lax" or "none".')
  if (sameSite === 'none' && !isHttps) throw invalid('cookieSameSite "none" needs an https redirectUri.')
  const scopes = options.scopes ?? ['profile', 'email', 'svc']
  if (scopes.length === 0) throw invalid('scopes must name at least one scope.')
  const basePath = (options.basePath ?? redirect.pathname.replace(/\/callback\/?$/, '')).replace(/\/+$/, '')
  if (basePath !== '' && !basePath.startsWith('/')) throw invalid('basePath must start with a slash.')
  return {
    backendUrl: normalizeBase(options.backendUrl),
    clientId: options.clientId,
    clientSecret: options.clientSecret,
    redirectUri: options.redirectUri,
    cookieSecret: options.cookieSecret,
    scopes,
    basePath,
    sessionTtlSeconds: ttl,
    fetch: options.fetch ?? ((input, init) => fetch(input, init)),
    sameSite: sameSite === 'none' ? 'None' : 'Lax',
    isHttps,
  }
}

/** A path of the own origin; anything that could lead elsewhere becomes `/`. */
export function toReturnPath(text: string | null | undefined): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: browsers drop control characters, so `/\t/evil` leads away
  return text && /^\/(?!\/)/.test(text) && !/[\\\u0000-\u001f\u007f]/.test(text) ? text : '/'
}

const invalid = (message: string): SvcAuthError => new SvcAuthError('invalid_options', message)

function readUrl(text: unknown): URL | undefined {
  try {
    const url = new URL(String(text))
    return /^https?:$/.test(url.protocol) ? url : undefined
  } catch {
    // Not an address at all: the caller says what is wanted instead.
    return undefined
  }
}
