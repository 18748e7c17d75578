import { z } from 'zod'
import { operation } from './kernel/operation.ts'
import { form, redirect } from './kernel/payload.ts'
import { instant, uuid } from './kernel/shapes.ts'

/** Sign-in for third-party apps: the OAuth authorization server and the registry of its clients. */

export const oauthScopes = ['profile', 'email', 'svc'] as const
export type OAuthScope = (typeof oauthScopes)[number]

const Metadata = z
  .object({
    issuer: z.string(),
    authorization_endpoint: z.string(),
    token_endpoint: z.string(),
    revocation_endpoint: z.string(),
    userinfo_endpoint: z.string(),
    scopes_supported: z.array(z.string()),
    response_types_supported: z.array(z.string()),
    grant_types_supported: z.array(z.string()),
    token_endpoint_auth_methods_supported: z.array(z.string()),
    code_challenge_methods_supported: z.array(z.string()),
  })
  .meta({ id: 'OAuthServer', description: 'What an OAuth client needs to know of this server (RFC 8414).' })

const described = { needs: 'public', audit: 'none', returns: Metadata } as const

export const discovery = operation({
  id: 'oauth.discovery',
  at: 'GET /.well-known/oauth-authorization-server',
  summary: 'The OAuth server’s description of itself',
  ...described,
})

export const discoveryBelow = operation({
  id: 'oauth.discoveryBelow',
  at: 'GET /v1/oauth/.well-known/oauth-authorization-server',
  summary: 'The same description, below the OAuth routes',
  ...described,
})

const parameter = z.string().optional()

export const authorize = operation({
  id: 'oauth.authorize',
  at: 'GET /v1/oauth/authorize',
  summary: 'Where an app sends the browser: leads to the consent page',
  description:
    'Authorization code with PKCE (S256 only). Faults before the redirect address is verified answer here; later ones return to it as `error`, `error_description` and `state`.',
  needs: 'public',
  rateLimit: { limit: 300, windowMs: 60_000, by: 'ip' },
  audit: 'none',
  query: z.object({
    client_id: parameter,
    redirect_uri: parameter,
    response_type: parameter,
    scope: parameter,
    state: parameter,
    code_challenge: parameter,
    code_challenge_method: parameter,
  }),
  returns: redirect,
  errors: ['invalid_request', 'invalid_client'],
})

export const ClientType = z.enum(['confidential', 'public'])

export const ConsentRequest = z
  .object({
    client_id: uuid,
    client_name: z.string(),
    client_type: ClientType,
    scope: z.string(),
    scopes: z.array(z.string()),
    remembered: z.boolean().describe('The user has approved all these scopes for this app before.'),
    redirect_to: z.string(),
  })
  .meta({ id: 'OAuthConsentRequest', description: 'An app that asks to act for the signed-in person.' })

export const consentRequest = operation({
  id: 'oauth.consentRequest',
  at: 'GET /v1/oauth/authorize/consent/:requestId',
  summary: 'Which app asks for what',
  needs: 'identity-session',
  audit: 'request',
  returns: ConsentRequest,
  errors: ['invalid_token', 'invalid_request'],
})

export const decideConsent = operation({
  id: 'oauth.decideConsent',
  at: 'POST /v1/oauth/authorize/consent',
  summary: 'Approve or deny an app’s request, once',
  needs: 'identity-session',
  audit: 'auth.oauth.consent',
  body: z.object({ request_id: uuid, approved: z.boolean() }),
  returns: z.object({ redirect_uri: z.string() }),
  errors: ['invalid_token', 'invalid_request'],
  // The answer holds a code that works once, so a repeat must not get it again.
  idempotent: false,
})

const given = z.string().max(2048).optional()
const clientForm = { client_id: given, client_secret: given }
/** Forms are small; these routes are open to everybody. */
const byClient = { needs: 'public', idempotent: false, maxBodyBytes: 16 * 1024 } as const

export const token = operation({
  id: 'oauth.token',
  at: 'POST /v1/oauth/token',
  summary: 'Turn a code or a refresh token into a pair of tokens',
  description:
    'A refresh rotates the pair: a repeat within 30 seconds gets the same new pair, a later one ends the grant. At most 20 requests a minute per client.',
  ...byClient,
  audit: 'auth.oauth.token',
  body: form(
    z.object({
      ...clientForm,
      grant_type: given,
      code: given,
      redirect_uri: given,
      code_verifier: given,
      refresh_token: given,
    }),
  ),
  returns: z
    .object({
      access_token: z.string(),
      refresh_token: z.string(),
      token_type: z.literal('Bearer'),
      expires_in: z.number().int().describe('Seconds the access token still lives.'),
      scope: z.string(),
    })
    .meta({ id: 'OAuthTokens', description: 'An access token and the token that renews it.' }),
  errors: ['invalid_request', 'invalid_client', 'invalid_grant', 'unsupported_grant_type'],
})

export const revoke = operation({
  id: 'oauth.revoke',
  at: 'POST /v1/oauth/revoke',
  summary: 'End a token and its pair',
  ...byClient,
  audit: 'auth.oauth.revoke',
  body: form(z.object({ ...clientForm, token: given, token_type_hint: given })),
  returns: z.object({ revoked: z.boolean() }),
  errors: ['invalid_request', 'invalid_client'],
})

export const userinfo = operation({
  id: 'oauth.userinfo',
  at: 'GET /v1/oauth/userinfo',
  summary: 'Who approved this access token',
  needs: 'signed-in',
  audit: 'request',
  returns: z.object({ sub: uuid, user_id: uuid, account_id: uuid, email: z.string() }),
  errors: ['invalid_token', 'insufficient_scope'],
})

/** Names stand on the consent page: nothing that hides or reorders text there. */
const shown = /^[^\p{Cc}\u202a-\u202e\u2066-\u2069]*$/u
const name = z.string().trim().min(1).max(255).regex(shown, 'must not hold control characters')
const description = z
  .string()
  .max(1024)
  .regex(/^[^\0]*$/, 'must not hold zero bytes')
  .nullable()
const scopes = z
  .array(z.enum(oauthScopes))
  .min(1)
  .transform((list) => oauthScopes.filter((scope) => list.includes(scope)))
const redirectUri = z
  .string()
  .max(2048)
  .superRefine((uri, context) => {
    const fault = findRedirectFault(uri)
    if (fault !== undefined) context.addIssue({ code: 'custom', message: fault })
  })
const redirectUris = z
  .array(redirectUri)
  .min(1)
  .max(20)
  .refine((list) => new Set(list).size === list.length, 'must not name an address twice')

export const OAuthClient = z
  .object({
    client_id: uuid,
    name: z.string(),
    description: z.string().nullable(),
    client_type: ClientType,
    redirect_uris: z.array(z.string()),
    scopes: z.array(z.string()),
    active: z.boolean(),
    created_at: instant,
    updated_at: instant,
  })
  .meta({ id: 'OAuthClient', description: 'A third-party app that signs people in with their accounts here.' })

const OAuthClientWithSecret = OAuthClient.extend({
  client_secret: z.string().nullable().describe('Shown once; null for a public client.'),
}).meta({ id: 'OAuthClientWithSecret', description: 'An OAuth client and its new secret.' })

const clients = '/v1/accounts/:accountId/iam/oauth-clients'

export const listClients = operation({
  id: 'oauth.clients.list',
  at: `GET ${clients}`,
  summary: 'List OAuth clients, newest first',
  needs: 'token.read',
  audit: 'request',
  query: z.object({ cursor: uuid.optional() }),
  returns: z.object({ oauth_clients: z.array(OAuthClient), scopes_supported: z.array(z.string()) }),
})

export const createClient = operation({
  id: 'oauth.clients.create',
  at: `POST ${clients}`,
  summary: 'Register an OAuth client; its secret is shown once',
  needs: 'token.create',
  audit: 'iam.oauth_client.create',
  body: z.object({
    name,
    description: description.optional(),
    client_type: ClientType.default('confidential'),
    redirect_uris: redirectUris,
    scopes: scopes.default([...oauthScopes]),
  }),
  returns: OAuthClientWithSecret,
  status: 201,
})

export const getClient = operation({
  id: 'oauth.clients.get',
  at: `GET ${clients}/:clientId`,
  summary: 'One OAuth client',
  needs: 'token.read',
  audit: 'request',
  returns: OAuthClient,
})

export const updateClient = operation({
  id: 'oauth.clients.update',
  at: `PATCH ${clients}/:clientId`,
  summary: 'Change an OAuth client, or switch it off and on',
  needs: 'token.create',
  audit: 'iam.oauth_client.update',
  body: z.object({
    name: name.optional(),
    description: description.optional(),
    redirect_uris: redirectUris.optional(),
    scopes: scopes.optional(),
    active: z.boolean().optional(),
  }),
  returns: OAuthClient,
})

export const deleteClient = operation({
  id: 'oauth.clients.remove',
  at: `DELETE ${clients}/:clientId`,
  summary: 'Delete an OAuth client; every token it got ends',
  needs: 'token.revoke',
  audit: 'iam.oauth_client.delete',
  returns: z.object({ deleted: z.literal(true) }),
})

export const rotateSecret = operation({
  id: 'oauth.clients.rotateSecret',
  at: `POST ${clients}/:clientId/rotate-secret`,
  summary: 'Replace the secret of a confidential client at once',
  needs: 'token.create',
  audit: 'iam.oauth_client.rotate_secret',
  returns: OAuthClientWithSecret,
  errors: ['invalid_request'],
})

/**
 * What keeps an address from being registered, or undefined. Addresses are later compared byte for byte, so this rule
 * alone never authorises one.
 */
function findRedirectFault(uri: string): string | undefined {
  if (!/^[\x21-\x7e]+$/.test(uri) || /[\\<>"`{}|^]/.test(uri)) return 'must be an address of plain ASCII characters'
  if (!/^https?:\/\/[^/?#]/.test(uri) || !URL.canParse(uri)) return 'must be an absolute https address'
  const { protocol, hostname, username, password } = new URL(uri)
  if (uri.includes('#')) return 'must not have a fragment'
  if (username !== '' || password !== '' || /^https?:\/\/[^/?]*@/.test(uri)) return 'must not hold a user name'
  if (hostname.includes('*')) return 'must name one host: addresses are compared byte for byte'
  if (protocol === 'http:' && !isLoopback(hostname)) return 'must be https; http is for loopback addresses only'
  return undefined
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname)
}
