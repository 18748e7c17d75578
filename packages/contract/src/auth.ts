import { z } from 'zod'
import { operation, type RateLimit } from './kernel/operation.ts'
import { redirect } from './kernel/payload.ts'

/** Headless sign-in: everything an app needs to sign people in itself. */

export const identityProviders = [
  'google',
  'github',
  'azure',
  'apple',
  'gitlab',
  'bitbucket',
  'discord',
  'slack',
  'linkedin_oidc',
  'keycloak',
  'workos',
] as const

const email = z.string().trim().toLowerCase().max(320, 'at most 320 characters').pipe(z.email('must be a mail address'))
const newPassword = z.string().min(8, 'at least 8 characters').max(256, 'at most 256 characters')
const givenPassword = z.string().min(1).max(256)
const redirectTo = z.string().max(2048)
const userData = z
  .record(z.string().max(64), z.unknown())
  .refine((value) => JSON.stringify(value).length <= 16_384, 'at most 16 KiB as JSON')

export const AuthUser = z
  .object({
    id: z.uuid(),
    email: z.string().nullable(),
    email_confirmed_at: z.string().nullable(),
    created_at: z.string(),
    last_sign_in_at: z.string().nullable(),
    app_metadata: z.record(z.string(), z.unknown()),
    user_metadata: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'AuthUser', description: 'A person who can sign in.' })

export const AuthSession = z
  .object({
    access_token: z.string(),
    refresh_token: z.string(),
    token_type: z.literal('bearer'),
    expires_in: z.number().describe('Seconds the access token still lives.'),
    expires_at: z.number().describe('The same as seconds since 1970.'),
  })
  .meta({ id: 'AuthSession', description: 'A sign-in session: a bearer token and the token that renews it.' })

export const SignedIn = z
  .object({ session: AuthSession, user: AuthUser })
  .meta({ id: 'SignedIn', description: 'A session and whose it is.' })

const Sent = z.object({ sent: z.literal(true) })

const rateLimit: RateLimit = { limit: 30, windowMs: 60_000, by: 'ip', code: 'over_request_rate_limit' }
/** Answers carry credentials, which are never kept for a replay. */
const headless = { rateLimit, idempotent: false } as const

export const signUp = operation({
  id: 'auth.signUp',
  at: 'POST /v1/auth/signup',
  summary: 'Sign up with an address and a password',
  description: '`session` is null exactly when `requires_email_confirmation` is true.',
  needs: 'public',
  ...headless,
  audit: 'auth.signup',
  body: z.object({
    email,
    password: newPassword,
    redirect_to: redirectTo.optional(),
    data: userData.optional(),
  }),
  returns: z.object({
    user: AuthUser.nullable(),
    session: AuthSession.nullable(),
    requires_email_confirmation: z.boolean(),
  }),
  errors: ['weak_password', 'user_already_exists', 'signup_disabled', 'invalid_request', 'over_email_send_rate_limit'],
})

export const signInWithPassword = operation({
  id: 'auth.signInWithPassword',
  at: 'POST /v1/auth/sign-in/password',
  summary: 'Sign in with an address and a password',
  needs: 'public',
  ...headless,
  audit: 'auth.login.success',
  body: z.object({ email, password: givenPassword }),
  returns: SignedIn,
  errors: ['invalid_credentials', 'email_not_confirmed'],
})

export const sendMagicLink = operation({
  id: 'auth.sendMagicLink',
  at: 'POST /v1/auth/sign-in/magic-link',
  summary: 'Send a sign-in link and a 6-digit code by mail',
  needs: 'public',
  ...headless,
  audit: 'auth.code.sent',
  body: z.object({
    email,
    redirect_to: redirectTo.optional(),
    create_user: z.boolean().default(true),
    data: userData.optional(),
  }),
  returns: Sent,
  errors: ['invalid_request', 'over_email_send_rate_limit'],
})

export const verifyOtp = operation({
  id: 'auth.verifyOtp',
  at: 'POST /v1/auth/verify-otp',
  summary: 'Turn a mailed code, or the token of a mailed link, into a session',
  needs: 'public',
  ...headless,
  audit: 'auth.login.success',
  body: z.object({
    email,
    token: z.string().trim().min(4).max(64),
    type: z.enum(['magiclink', 'recovery', 'signup']),
  }),
  returns: SignedIn,
  errors: ['otp_expired', 'signup_disabled'],
})

export const signInWithProvider = operation({
  id: 'auth.signInWithProvider',
  at: 'POST /v1/auth/sign-in/oauth',
  summary: 'Begin a sign-in at another provider',
  description: 'Send the browser to `url` and keep `code_verifier`; it comes back to `redirect_to` with `code`.',
  needs: 'public',
  ...headless,
  audit: 'none',
  body: z.object({
    provider: z.enum(identityProviders),
    redirect_to: redirectTo,
    scopes: z.string().max(1024).optional(),
  }),
  returns: z.object({ url: z.string(), code_verifier: z.string() }),
  errors: ['invalid_request', 'auth_provider_unreachable'],
})

export const providerCallback = operation({
  id: 'auth.providerCallback',
  at: 'GET /v1/auth/callback/:provider',
  summary: 'Where another provider sends the browser back to',
  description: 'Redirects to the `redirect_to` of the sign-in with `code`, or with `error` and `error_description`.',
  needs: 'public',
  rateLimit,
  audit: 'none',
  query: z.object({
    state: z.string().max(512).optional(),
    code: z.string().max(4096).optional(),
    error: z.string().max(512).optional(),
    error_description: z.string().max(2048).optional(),
    iss: z.string().max(2048).optional(),
  }),
  returns: redirect,
  errors: ['invalid_request'],
})

export const exchangeCode = operation({
  id: 'auth.exchangeCode',
  at: 'POST /v1/auth/oauth/exchange',
  summary: 'Turn the code of a social sign-in into a session',
  needs: 'public',
  ...headless,
  audit: 'auth.login.success',
  body: z.object({ code: z.string().min(1).max(256), code_verifier: z.string().min(1).max(256) }),
  returns: SignedIn,
  errors: ['bad_code_verifier'],
})

export const refresh = operation({
  id: 'auth.refresh',
  at: 'POST /v1/auth/refresh',
  summary: 'Renew a session',
  description:
    'The refresh token rotates. A repeat within 10 seconds gets the same new session; a later one ends the session.',
  needs: 'public',
  ...headless,
  audit: 'none',
  body: z.object({ refresh_token: z.string().min(1).max(256) }),
  returns: SignedIn,
  errors: ['refresh_token_not_found'],
})

export const resetPassword = operation({
  id: 'auth.resetPassword',
  at: 'POST /v1/auth/password/reset',
  summary: 'Send a link and a code to choose a new password with',
  needs: 'public',
  ...headless,
  audit: 'auth.code.sent',
  body: z.object({ email, redirect_to: redirectTo.optional() }),
  returns: Sent,
  errors: ['invalid_request', 'over_email_send_rate_limit'],
})

export const updatePassword = operation({
  id: 'auth.updatePassword',
  at: 'POST /v1/auth/password/update',
  summary: 'Choose a new password; every other session ends',
  needs: 'identity-session',
  ...headless,
  audit: 'auth.password.update',
  body: z.object({ password: newPassword }),
  returns: z.object({ user: AuthUser }),
  errors: ['invalid_token', 'weak_password'],
})

export const user = operation({
  id: 'auth.user',
  at: 'GET /v1/auth/user',
  summary: 'Whose session this is',
  needs: 'identity-session',
  rateLimit,
  audit: 'request',
  returns: z.object({ user: AuthUser }),
  errors: ['invalid_token'],
})

export const signOut = operation({
  id: 'auth.signOut',
  at: 'POST /v1/auth/sign-out',
  summary: 'End this session, all others, or all',
  needs: 'identity-session',
  ...headless,
  audit: 'auth.logout',
  body: z.object({ scope: z.enum(['global', 'local', 'others']).default('global') }).prefault({}),
  returns: z.object({ ok: z.literal(true) }),
  errors: ['invalid_token'],
})

export const firstRun = operation({
  id: 'auth.firstRun',
  at: 'POST /v1/auth/first-run',
  summary: 'Make the first person the owner of this instance',
  description: 'Takes the token of the link that the first start prints. Works once.',
  needs: 'public',
  ...headless,
  audit: 'auth.signup',
  body: z.object({ token: z.string().min(1).max(256), email, password: newPassword }),
  returns: SignedIn,
  errors: ['first_run_link_invalid', 'weak_password', 'user_already_exists'],
})
