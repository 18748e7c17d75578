import type * as OpenIdClient from 'openid-client'
import type { IdentityProvider } from '../../kernel/identity-providers.ts'
import type { Outbound } from '../../kernel/outbound/index.ts'
import { findOutboundError } from '../../kernel/outbound/index.ts'
import { type Profile, ProviderUnreachable, type SocialProvider } from './provider.ts'

const DISCOVERY_TTL_MS = 3_600_000
const DEFAULT_SCOPES = 'openid email profile'

/** Any OpenID Connect provider: discovery, authorization code with PKCE and nonce, signed id token. */
export function createOidcProvider(provider: IdentityProvider, outbound: Outbound): SocialProvider {
  let discovered: { config: Promise<OpenIdClient.Configuration>; untilMs: number } | undefined

  function configuration(): Promise<OpenIdClient.Configuration> {
    if (discovered && discovered.untilMs > performance.now()) return discovered.config
    const config = discover(provider, outbound)
    discovered = { config, untilMs: performance.now() + DISCOVERY_TTL_MS }
    // A provider that was away is asked again by the next sign-in.
    config.catch(() => {
      discovered = undefined
    })
    return config
  }

  return {
    name: provider.name,
    async authorizationUrl(attempt, scopes) {
      const client = await import('openid-client')
      const config = await configuration()
      return client.buildAuthorizationUrl(config, {
        redirect_uri: attempt.callbackUrl,
        scope: withOpenId(scopes),
        state: attempt.state,
        nonce: attempt.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(attempt.verifier),
        code_challenge_method: 'S256',
      }).href
    },
    async readProfile(returnedTo, attempt) {
      const client = await import('openid-client')
      const config = await configuration()
      const tokens = await reaching(() =>
        client.authorizationCodeGrant(config, returnedTo, {
          pkceCodeVerifier: attempt.verifier,
          expectedState: attempt.state,
          expectedNonce: attempt.nonce,
          idTokenExpected: true,
        }),
      )
      const claims = tokens.claims()
      if (!claims) throw new Error('the provider sent no id token')
      const needsInfo = claims.email === undefined && config.serverMetadata().userinfo_endpoint !== undefined
      const info = needsInfo
        ? await reaching(() => client.fetchUserInfo(config, tokens.access_token, claims.sub))
        : undefined
      return toProfile(claims.sub, { ...info, ...claims })
    },
  }
}

async function discover(provider: IdentityProvider, outbound: Outbound): Promise<OpenIdClient.Configuration> {
  const client = await import('openid-client')
  const issuer = new URL(provider.issuer ?? '')
  return reaching(() =>
    client.discovery(issuer, provider.clientId, provider.clientSecret, undefined, {
      // The operator wrote http in the configuration; what may be dialled is still for the guard to decide.
      execute: issuer.protocol === 'http:' ? [client.allowInsecureRequests] : [],
      [client.customFetch]: (url, options) => guardedRequest(outbound, url, options),
      timeout: 10,
    }),
  )
}

async function guardedRequest(
  outbound: Outbound,
  url: string,
  options: { method: string; headers: Record<string, string>; body?: unknown },
): Promise<Response> {
  const { method, headers, body } = options
  const answer = await outbound.guardedFetch(url, {
    method: method === 'POST' ? 'POST' : 'GET',
    headers,
    ...(body === undefined || body === null ? {} : { body: String(body) }),
    maxRedirects: 0,
    timeoutMs: 10_000,
    maxBytes: 1024 * 1024,
  })
  return new Response(new Uint8Array(answer.body), { status: answer.status, headers: answer.headers })
}

async function reaching<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const own = findOutboundError(error)
    throw own ? new ProviderUnreachable(own.message, { cause: error }) : error
  }
}

function toProfile(subject: string, claims: Record<string, unknown>): Profile {
  const { email, email_verified: isVerified, name } = claims
  // Some providers write the flag as a text.
  const verified = typeof email === 'string' && (isVerified === true || isVerified === 'true')
  return {
    subject,
    verifiedEmail: verified ? email.trim().toLowerCase() : undefined,
    name: typeof name === 'string' ? name.slice(0, 255) : undefined,
  }
}

function withOpenId(scopes: string | undefined): string {
  const wanted = new Set((scopes ?? '').split(/[\s,]+/).filter(Boolean))
  return [...new Set([...DEFAULT_SCOPES.split(' '), ...wanted])].join(' ')
}
