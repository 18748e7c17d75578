import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { IdentityProvider } from '../../kernel/identity-providers.ts'
import { type Outbound, OutboundError } from '../../kernel/outbound/index.ts'
import { type Profile, ProviderUnreachable, type SocialProvider } from './provider.ts'

const Grant = z.object({ access_token: z.string().min(1) })
const Person = z.object({ id: z.number(), name: z.string().nullish() })
const Emails = z.array(z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() }))

/** GitHub speaks OAuth 2 without OpenID Connect: the profile comes from its API. */
export function createGithubProvider(provider: IdentityProvider, outbound: Outbound): SocialProvider {
  const site = (provider.issuer ?? 'https://github.com').replace(/\/+$/, '')
  const api = provider.issuer === undefined ? 'https://api.github.com' : `${site}/api/v3`

  async function call(url: string, options: { headers?: Record<string, string>; body?: string } = {}) {
    try {
      const answer = await outbound.guardedFetch(url, {
        method: options.body === undefined ? 'GET' : 'POST',
        headers: { accept: 'application/json', 'user-agent': 'svc', ...options.headers },
        ...(options.body === undefined ? {} : { body: options.body }),
        maxRedirects: 0,
        timeoutMs: 10_000,
        maxBytes: 1024 * 1024,
      })
      if (answer.status !== 200) throw new Error(`GitHub answered ${answer.status}`)
      return answer.json()
    } catch (error) {
      if (error instanceof OutboundError) throw new ProviderUnreachable(error.message, { cause: error })
      throw error
    }
  }

  return {
    name: provider.name,
    async authorizationUrl({ callbackUrl, state, verifier }, scopes) {
      const url = new URL(`${site}/login/oauth/authorize`)
      url.search = new URLSearchParams({
        client_id: provider.clientId,
        redirect_uri: callbackUrl,
        scope: ['read:user', 'user:email', ...(scopes ?? '').split(/[\s,]+/).filter(Boolean)].join(' '),
        state,
        code_challenge: createHash('sha256').update(verifier).digest('base64url'),
        code_challenge_method: 'S256',
      }).toString()
      return url.href
    },
    async readProfile(returnedTo, { callbackUrl, verifier }): Promise<Profile> {
      const body = new URLSearchParams({
        client_id: provider.clientId,
        client_secret: provider.clientSecret,
        code: returnedTo.searchParams.get('code') ?? '',
        redirect_uri: callbackUrl,
        code_verifier: verifier,
      }).toString()
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      const grant = Grant.parse(await call(`${site}/login/oauth/access_token`, { headers, body }))
      const authorization = { authorization: `Bearer ${grant.access_token}` }
      const person = Person.parse(await call(`${api}/user`, { headers: authorization }))
      const emails = Emails.parse(await call(`${api}/user/emails`, { headers: authorization }))
      const verified = emails.find(({ primary, verified }) => primary && verified)
      return {
        subject: String(person.id),
        verifiedEmail: verified?.email.trim().toLowerCase(),
        name: person.name?.slice(0, 255),
      }
    },
  }
}
