import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findFreePort } from '../../../../../tests/support/find-free-port.ts'
import { createPerson } from '../../../../../tests/support/people.ts'
import { startTestPlatform } from '../../../../../tests/support/platform.ts'
import { createOwner, registerApp, userinfo } from '../../oauth/testing/third-party-app.ts'
import { createClient, unlimited } from '../testing/client.ts'
import { type FakeGithub, startGithub } from '../testing/github.ts'
import { type IdentityServer, startIdentityServer } from '../testing/identity-server.ts'

/** A real OpenID Connect provider, driven over loopback as a browser would. */

const app = 'https://app.example.com/auth/callback'
let platform: Awaited<ReturnType<typeof startTestPlatform>>
let client: ReturnType<typeof createClient>
let issuer: IdentityServer
let github: FakeGithub
beforeAll(async () => {
  const port = await findFreePort()
  issuer = await startIdentityServer(`http://127.0.0.1:${port}/v1/auth/callback/keycloak`)
  github = await startGithub()
  platform = await startTestPlatform({
    ...unlimited,
    PORT: String(port),
    SVC_OIDC_KEYCLOAK_ISSUER: issuer.url,
    SVC_OIDC_KEYCLOAK_CLIENT_ID: 'svc',
    SVC_OIDC_KEYCLOAK_CLIENT_SECRET: issuer.clientSecret,
    SVC_OIDC_AZURE_ISSUER: 'http://127.0.0.1:9',
    SVC_OIDC_AZURE_CLIENT_ID: 'svc',
    SVC_OIDC_AZURE_CLIENT_SECRET: 'x',
    SVC_OIDC_GITHUB_ISSUER: github.url,
    SVC_OIDC_GITHUB_CLIENT_ID: 'svc',
    SVC_OIDC_GITHUB_CLIENT_SECRET: 'github-secret',
    SVC_ALLOW_PRIVATE_HOSTS: '127.0.0.1',
    SVC_REDIRECT_URLS: app,
  })
  client = createClient(platform)
  await createPerson(platform, { operator: true })
  await client.settings({ sign_up: 'open' })
})
afterAll(async () => {
  await platform?.stop()
  await issuer?.stop()
  await github?.stop()
})

const post = (path: string, body: unknown) => client.post(path, body, undefined, client.newIp())
const begin = (provider = 'keycloak', redirectTo = app) =>
  post('/v1/auth/sign-in/oauth', { provider, redirect_to: redirectTo })
const returnTo = async (callback: string) => {
  const { status, headers } = await client.send(callback.replace(platform.url, ''), { headers: client.newIp() })
  return { status, location: headers.get('location') ?? '' }
}
const exchange = (code: string | null, verifier: string) =>
  post('/v1/auth/oauth/exchange', { code, code_verifier: verifier })
/** The whole way of a browser: to the provider, through its sign-in, back to us, back to the app. */
async function signIn(person: { sub: string; email?: string; email_verified?: boolean; name?: string }) {
  const { body } = await begin()
  const { location } = await returnTo(await issuer.signIn(body.url, person))
  return { verifier: body.code_verifier as string, returned: new URL(location) }
}

describe('social sign-in', () => {
  test('a new person comes in through a real provider, with PKCE on both sides', async () => {
    const { body } = await begin()
    const url = new URL(body.url)
    expect(url.searchParams.get('code_challenge_method')).toBe('S256')
    expect(body.code_verifier).toMatch(/^[\w-]{64}$/)
    const { verifier, returned } = await signIn({
      sub: 'p1',
      email: 'P1@example.com',
      email_verified: true,
      name: 'P One',
    })
    expect(returned.href.split('?')[0]).toBe(app)
    const answer = await exchange(returned.searchParams.get('code'), verifier)
    expect(answer.status).toBe(200)
    expect(answer.body.user).toMatchObject({ email: 'p1@example.com', user_metadata: { name: 'P One' } })
    expect((await client.get('/v1/auth/user', answer.body.session.access_token)).status).toBe(200)

    const again = await signIn({ sub: 'p1', email: 'renamed@example.com', email_verified: true })
    const second = await exchange(again.returned.searchParams.get('code'), again.verifier)
    expect(second.body.user.id).toBe(answer.body.user.id)
  })

  test('a code works once, and is spent by a wrong verifier', async () => {
    const first = await signIn({ sub: 'p2', email: 'p2@example.com', email_verified: true })
    const code = first.returned.searchParams.get('code')
    const wrong = await exchange(code, 'A'.repeat(64))
    expect([wrong.status, wrong.body.error]).toEqual([400, 'bad_code_verifier'])
    expect((await exchange(code, first.verifier)).status).toBe(400)
    const second = await signIn({ sub: 'p2', email: 'p2@example.com', email_verified: true })
    const good = second.returned.searchParams.get('code')
    expect((await exchange(good, second.verifier)).status).toBe(200)
    expect((await exchange(good, second.verifier)).status).toBe(400)
  })

  test('links to an existing person only through a verified address', async () => {
    const person = await createPerson(platform)
    const unverified = await signIn({ sub: 'p3', email: person.email, email_verified: false })
    expect(unverified.returned.searchParams.get('error')).toBe('email_not_verified')
    expect(unverified.returned.searchParams.get('code')).toBeNull()
    const verified = await signIn({ sub: 'p3', email: person.email, email_verified: true })
    const answer = await exchange(verified.returned.searchParams.get('code'), verified.verifier)
    expect(answer.body.user.id).toBe(person.userId)
  })

  test('a verified identity takes an unconfirmed address over: password, sessions, keys and apps of before end', async () => {
    const squatter = await createPerson(platform, { confirmed: false })
    const password = 'seven green kettles'
    await client.post('/v1/auth/password/update', { password }, squatter.accessToken)
    const { body: key } = await client.post('/v1/accounts/tokens', { name: 'kept for later' }, squatter.accessToken)
    const thirdParty = await registerApp(platform.url, await createOwner(platform))
    const granted = await thirdParty.obtainTokens(squatter)
    expect((await client.get('/v1/accounts/me', key.secret_key)).status).toBe(200)
    const owner = await signIn({ sub: 'p4', email: squatter.email, email_verified: true })
    const answer = await exchange(owner.returned.searchParams.get('code'), owner.verifier)
    expect(answer.body.user.id).toBe(squatter.userId)
    expect((await client.get('/v1/auth/user', squatter.accessToken)).status).toBe(401)
    expect((await client.get('/v1/accounts/me', key.secret_key)).status).toBe(401)
    expect((await userinfo(platform.url, granted.access_token)).status).toBe(401)
    expect((await thirdParty.refresh(granted.refresh_token)).status).toBe(400)
    const { email } = squatter
    expect((await post('/v1/auth/sign-in/password', { email, password })).body.error).toBe('invalid_credentials')
  })

  test('an answer with a made-up or repeated state is refused', async () => {
    const { body } = await begin()
    const callback = new URL(
      await issuer.signIn(body.url, { sub: 'p5', email: 'p5@example.com', email_verified: true }),
    )
    const forged = new URL(callback)
    forged.searchParams.set('state', 'A'.repeat(43))
    expect((await returnTo(forged.href)).status).toBe(400)
    expect((await returnTo(callback.href.replace('/keycloak', '/github'))).status).toBe(400)
    expect((await returnTo(callback.href)).status).toBe(302)
    expect((await returnTo(callback.href)).status).toBe(400)
  })

  test('what the provider refuses comes back to the app as an error', async () => {
    const { body } = await begin()
    const state = new URL(body.url).searchParams.get('state')
    const { location } = await returnTo(`${platform.url}/v1/auth/callback/keycloak?error=access_denied&state=${state}`)
    expect(new URL(location).searchParams.get('error')).toBe('access_denied')
  })

  test('a provider that is away, one that is not configured and one that does not exist are told apart', async () => {
    const away = await begin('azure')
    expect([away.status, away.body.error]).toEqual([502, 'auth_provider_unreachable'])
    const missing = await begin('google')
    expect([missing.status, missing.body.error]).toEqual([400, 'invalid_request'])
    const unknown = await begin('myspace')
    expect([unknown.status, unknown.body.error]).toEqual([400, 'validation_failed'])
  })

  test('GitHub, which has no OpenID Connect: a verified primary address signs in, an unverified one does not', async () => {
    for (const [verified, expected] of [
      [true, null],
      [false, 'email_not_verified'],
    ] as const) {
      github.person = { id: verified ? 7 : 8, email: `octo-${verified}@example.com`, verified }
      const { body } = await begin('github')
      const { location } = await returnTo(await github.signIn(body.url))
      expect(new URL(location).searchParams.get('error')).toBe(expected)
      if (!verified) continue
      const answer = await exchange(new URL(location).searchParams.get('code'), body.code_verifier)
      expect(answer.body.user.email).toBe('octo-true@example.com')
    }
  })
})

const hostile = [
  'https://evil.example',
  'https://app.example.com.evil.example/auth/callback',
  'https://evil.example/https://app.example.com/auth/callback',
  'https://app.example.com@evil.example/auth/callback',
  'https://app.example.com:pw@evil.example/auth/callback',
  'https://user@app.example.com/auth/callback',
  'https://app.example.com:444/auth/callback',
  'http://app.example.com/auth/callback',
  'https://app.example.com/auth/callback/',
  'https://app.example.com/auth/callback/../evil',
  'https://app.example.com/auth/callback%2f..%2fevil',
  'https://app.example.com/auth/callback?next=https://evil.example',
  'https://app.example.com/auth/callback#fragment',
  'https://app.example.com/auth/callback;evil',
  'https://app.example.com/auth/callbackevil',
  'https://app.example.com/auth',
  'https://app.example.com/',
  'https://sub.app.example.com/auth/callback',
  'https://app.example.com./auth/callback',
  'https://APP.example.com.evil.example/',
  'https:/evil.example',
  'https:evil.example',
  'https:\\\\evil.example',
  'https://app.example.com\\@evil.example/auth/callback',
  'https://app.example.com\\.evil.example/',
  '//evil.example/auth/callback',
  '/auth/callback',
  'auth/callback',
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)//https://app.example.com/auth/callback',
  'data:text/html,<script>alert(1)</script>',
  'file:///etc/passwd',
  'ftp://app.example.com/auth/callback',
  'app://callback',
  ' https://app.example.com/auth/callback',
  'https://app.example.com/auth/callback\n',
  'https://app.example.com/auth/call\tback',
  'https://app.example.com/auth/callback\u0000',
  'https://аpp.example.com/auth/callback',
  'https://app。example。com.evil.example/auth/callback',
  'https://127.0.0.1/auth/callback',
  'https://[::1]/auth/callback',
  'https://',
  '',
]

describe('redirect targets', () => {
  test.each(hostile)('%j is refused', async (target) => {
    const answer = await begin('keycloak', target)
    expect([answer.status, answer.body.error]).toEqual([400, 'invalid_request'])
  })

  test('there are at least 40 of them', () => expect(new Set(hostile).size).toBeGreaterThanOrEqual(40))

  test('the allowed address, one the operator added, and our own callback are accepted', async () => {
    await client.settings({ redirect_allow_list: ['http://localhost:3000/cb?a=1'] })
    for (const target of [app, 'http://localhost:3000/cb?a=1', `${platform.url}/auth/callback`]) {
      expect([target, (await begin('keycloak', target)).status]).toEqual([target, 200])
    }
  })

  test('where a redirect is optional, a hostile web address is refused and what is no web address is ignored', async () => {
    const send = (redirectTo: string) =>
      post('/v1/auth/sign-in/magic-link', { email: 'redirect@example.com', redirect_to: redirectTo })
    expect((await send('https://evil.example/')).body.error).toBe('invalid_request')
    expect((await send('javascript:alert(1)')).body).toEqual({ sent: true })
    expect((await send(app)).body).toEqual({ sent: true })
  })
})
