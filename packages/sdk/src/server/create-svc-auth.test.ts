import { describe, expect, test } from 'vitest'
import { toRecord } from '../wire/read-value.ts'
import { createSvcAuth } from './create-svc-auth.ts'
import { forwardSvcRequest } from './forward-request.ts'
import { toReturnPath } from './svc-auth-options.ts'

const SECRET = 'a secret of more than thirty-two characters'
const options = {
  backendUrl: 'https://svc.example.com',
  clientId: 'client-1',
  clientSecret: 'svc_ocs_x',
  redirectUri: 'https://app.example.com/api/auth/callback',
  cookieSecret: SECRET,
}

interface Sent {
  readonly url: string
  readonly form: Record<string, string>
  readonly headers: Headers
}

/** The service's side, as far as an app sees it. */
function fakeService({ lifeSeconds = 3600, status = 200 } = {}) {
  const sent: Sent[] = []
  let issued = 0
  const service = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const url = String(input)
    const form = Object.fromEntries(init.body instanceof URLSearchParams ? init.body : [])
    sent.push({ url, form, headers: new Headers(init.headers) })
    if (url.endsWith('/oauth/token')) {
      if (status !== 200) return Response.json({ error: 'invalid_grant', error_description: 'Spent.' }, { status })
      issued++
      const tokens = { access_token: `svc_oat_${issued}`, refresh_token: `svc_ort_${issued}` }
      return Response.json({ ...tokens, token_type: 'Bearer', expires_in: lifeSeconds, scope: 'profile svc' })
    }
    if (url.endsWith('/accounts/me')) {
      return Response.json({ user_id: 'u1', email: 'a@example.com', accounts: [{ account_id: 'acc' }] })
    }
    const headers = { 'set-cookie': 'a=b', 'x-request-id': 'r' }
    return Response.json({ seen: new Headers(init.headers).get('authorization') }, { headers })
  }
  return { fetch: service, sent }
}

const ask = (path: string, cookie = '', init: RequestInit = {}) =>
  new Request(`https://app.example.com${path}`, { ...init, headers: { ...init.headers, cookie } })

const codeOf = async (response: Response) => toRecord(await response.json()).code

const cookiesOf = (response: Response) =>
  response.headers
    .getSetCookie()
    .map((line) => line.split(';')[0] ?? '')
    .join('; ')

async function signIn(service: ReturnType<typeof fakeService>, returnTo = '/projects?x=1') {
  const auth = createSvcAuth({ ...options, fetch: service.fetch })
  const begun = await auth.handler(ask(auth.signInUrl(returnTo)))
  const authorize = new URL(begun.headers.get('location') ?? '')
  const state = authorize.searchParams.get('state')
  const done = await auth.handler(ask(`/api/auth/callback?code=c1&state=${state}`, cookiesOf(begun)))
  return { auth, begun, authorize, done, cookie: cookiesOf(done) }
}

describe('signing in', () => {
  test('goes to the service with PKCE and comes back with a sealed cookie', async () => {
    const service = fakeService()
    const { begun, authorize, done, cookie, auth } = await signIn(service)
    expect(authorize.href).toMatch(/^https:\/\/svc\.example\.com\/v1\/oauth\/authorize\?client_id=client-1&/)
    expect(authorize.searchParams.get('code_challenge_method')).toBe('S256')
    expect(begun.headers.getSetCookie()[0]).toMatch(
      /^__Host-svc_oauth_txn=[\w-]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=600; Secure$/,
    )
    expect([done.status, done.headers.get('location')]).toEqual([302, '/projects?x=1'])
    expect(service.sent[0]?.form).toMatchObject({
      grant_type: 'authorization_code',
      code: 'c1',
      client_secret: 'svc_ocs_x',
      redirect_uri: options.redirectUri,
    })
    expect(service.sent[0]?.form.code_verifier).toMatch(/^[\w-]{43}$/)
    expect(cookie).not.toContain('svc_oat_')
    expect(await auth.viewer(ask('/', cookie))).toMatchObject({
      userId: 'u1',
      email: 'a@example.com',
      accounts: [{ account_id: 'acc' }],
      scopes: ['profile', 'svc'],
      token: 'svc_oat_1',
    })
  })

  test('a callback with another state, without a transaction or without a code is refused', async () => {
    const service = fakeService()
    const { auth, begun, authorize } = await signIn(service)
    const callback = (query: string, cookie: string) => auth.handler(ask(`/api/auth/callback?${query}`, cookie))
    const state = authorize.searchParams.get('state')
    const answers = await Promise.all([
      callback('code=c&state=other', cookiesOf(begun)),
      callback(`code=c&state=${state}`, ''),
      callback('code=c', cookiesOf(begun)),
      callback(`error=access_denied&state=${state}`, cookiesOf(begun)),
    ])
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400])
    const codes = await Promise.all(answers.map(codeOf))
    expect(codes).toEqual(['state_mismatch', 'state_mismatch', 'state_mismatch', 'invalid_callback'])
  })

  test.each([
    [400, 400],
    [401, 400],
    [503, 502],
  ])('a token route that answers %i is a failed exchange with %i', async (status, shown) => {
    const { done } = await signIn(fakeService({ status }))
    expect([done.status, await codeOf(done)]).toEqual([shown, 'token_exchange_failed'])
  })

  test('a cookie that was changed, or sealed with another secret, is nobody', async () => {
    const service = fakeService()
    const { auth, cookie } = await signIn(service)
    const other = createSvcAuth({ ...options, cookieSecret: `${SECRET}!`, fetch: service.fetch })
    expect(await auth.viewer(ask('/', cookie.slice(0, -2)))).toBeNull()
    expect(await other.viewer(ask('/', cookie))).toBeNull()
    await expect(auth.svc(ask('/'))).rejects.toMatchObject({ code: 'unauthenticated' })
    expect((await auth.handler(ask('/api/auth/me'))).status).toBe(401)
    expect((await auth.handler(ask('/api/auth/other', cookie))).status).toBe(404)
  })
})

describe('a session that is expired', () => {
  test('is no viewer, is sent to refresh, and is renewed once by many requests at a time', async () => {
    const service = fakeService({ lifeSeconds: 20 })
    const { auth, cookie } = await signIn(service)
    expect(await auth.viewer(ask('/', cookie))).toBeNull()
    const required = await auth.requireViewer(ask('/deep?x=1', cookie))
    if ('viewer' in required) throw new Error('an expired session is no viewer')
    expect(required.response.headers.get('location')).toBe('/api/auth/refresh?return_to=%2Fdeep%3Fx%3D1')
    const replies = await Promise.all([1, 2, 3].map(() => auth.handler(ask('/api/auth/proxy/projects', cookie))))
    for (const reply of replies) expect(await reply.json()).toEqual({ seen: 'Bearer svc_oat_2' })
    expect(service.sent.filter(({ form }) => form.grant_type === 'refresh_token')).toHaveLength(1)
    const returned = await auth.handler(ask('/api/auth/refresh?return_to=//evil.example.com', cookie))
    expect(returned.headers.get('location')).toBe('/')
  })

  test('signing out revokes and clears', async () => {
    const service = fakeService()
    const { auth, cookie } = await signIn(service)
    const reply = await auth.handler(ask(auth.signOutUrl('/bye'), cookie))
    expect(reply.headers.get('location')).toBe('/bye')
    expect(reply.headers.getSetCookie()[0]).toContain('Max-Age=0')
    expect(service.sent.at(-1)).toMatchObject({ form: { token: 'svc_ort_1' } })
  })
})

describe('the proxy', () => {
  test('puts the token in and takes cookies out, for pages of the own origin only', async () => {
    const service = fakeService()
    const { auth, cookie } = await signIn(service)
    const { backendUrl, getToken } = auth.clientConfig()
    expect(backendUrl).toBe('https://app.example.com/api/auth/proxy')
    const headers = { authorization: `Bearer ${await getToken()}`, origin: 'https://app.example.com' }
    const reply = await auth.handler(ask('/api/auth/proxy/v1/projects?a=1', cookie, { headers }))
    expect(await reply.json()).toEqual({ seen: 'Bearer svc_oat_1' })
    expect(reply.headers.get('set-cookie')).toBeNull()
    expect(service.sent.at(-1)?.url).toBe('https://svc.example.com/v1/projects?a=1')
    expect(service.sent.at(-1)?.headers.get('cookie')).toBeNull()
    const foreign = { headers: { origin: 'https://evil.example.com' } }
    expect((await auth.handler(ask('/api/auth/proxy/projects', cookie, foreign))).status).toBe(403)
    expect((await auth.handler(ask('/api/auth/proxy/projects'))).status).toBe(401)
  })

  test('cannot be led out of the service’s API', async () => {
    const service = fakeService()
    const { auth, cookie } = await signIn(service)
    for (const path of [
      '../../x',
      '%2e%2e/%2e%2e/x',
      '/\\evil.example.com',
      '@evil.example.com/x',
      '//evil.example.com',
    ]) {
      await auth.handler(ask(`/api/auth/proxy/${path}`, cookie))
    }
    for (const { url } of service.sent) expect(url).toMatch(/^https:\/\/svc\.example\.com\/v1\//)
  })

  test('a service that cannot be reached is 502', async () => {
    const request = ask('/x', '', { method: 'POST', body: 'b' })
    const reply = await forwardSvcRequest({ request, upstreamUrl: 'http://127.0.0.1:1/x', token: 't' })
    expect(reply.status).toBe(502)
  })
})

describe('options', () => {
  test.each([
    [{ cookieSecret: 'short' }],
    [{ redirectUri: '/callback' }],
    [{ backendUrl: 'svc' }],
    [{ clientId: '' }],
    [{ scopes: [] }],
    [{ basePath: 'auth' }],
    [{ sessionTtlSeconds: 0 }],
    [{ redirectUri: 'http://localhost:3000/cb', cookieSameSite: 'none' as const }],
  ])('%j is refused', (wrong) => {
    expect(() => createSvcAuth({ ...options, ...wrong })).toThrow(expect.objectContaining({ code: 'invalid_options' }))
  })

  test.each([
    ['/a?b#c', '/a?b#c'],
    ['//evil', '/'],
    ['/\\evil', '/'],
    ['/\t/evil', '/'],
    ['https://evil', '/'],
    ['', '/'],
    [null, '/'],
  ])('the return path %j becomes %s', (given, path) => {
    expect(toReturnPath(given)).toBe(path)
  })
})
