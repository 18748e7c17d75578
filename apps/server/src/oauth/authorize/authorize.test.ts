import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestPlatform } from '../../../../../tests/support/platform.ts'
import { callback, createOwner, registerApp, send, type TestApp } from '../testing/third-party-app.ts'

let platform: Awaited<ReturnType<typeof startTestPlatform>>
let owner: Awaited<ReturnType<typeof createOwner>>
let app: TestApp
beforeAll(async () => {
  platform = await startTestPlatform()
  owner = await createOwner(platform)
  app = await registerApp(platform.url, owner, {
    redirect_uris: [callback, 'http://127.0.0.1:7777/cb', 'https://app.example.com/with?tenant=1'],
  })
})
afterAll(() => platform.stop())

/** Each looks like a registered address to somebody: a prefix check, a parser, a normaliser, a person. */
const hostileTargets = [
  'https://evil.example/auth/callback',
  'https://app.example.com.evil.example/auth/callback',
  'https://app.example.com@evil.example/auth/callback',
  'https://evil.example#@app.example.com/auth/callback',
  'https://evil.example?@app.example.com/auth/callback',
  'https://evil.example\\@app.example.com/auth/callback',
  'https://app.example.com:443/auth/callback',
  'https://app.example.com:8443/auth/callback',
  'https://app.example.com./auth/callback',
  'https://APP.example.com/auth/callback',
  'HTTPS://app.example.com/auth/callback',
  'http://app.example.com/auth/callback',
  '//app.example.com/auth/callback',
  '///evil.example/auth/callback',
  '/auth/callback',
  'https:/app.example.com/auth/callback',
  'https:app.example.com/auth/callback',
  'https://app.example.com/auth/callback/',
  'https://app.example.com/auth/callback/../../evil',
  'https://app.example.com/auth/./callback',
  'https://app.example.com/auth/callback%2f..%2fevil',
  'https://app.example.com/auth/%63allback',
  'https://app.example.com//auth/callback',
  'https://app.example.com/auth/callback?next=https://evil.example',
  'https://app.example.com/auth/callback?',
  'https://app.example.com/auth/callback#',
  'https://app.example.com/auth/callback#token',
  'https://app.example.com/auth/callback;a=b',
  'https://app.example.com/auth/callback\u0000',
  'https://app.example.com/auth/callback\r\nset-cookie: a=b',
  'https://app.example.com/auth/callback\t',
  ' https://app.example.com/auth/callback',
  'https://app.example.com/auth/callback ',
  'https://\u0430pp.example.com/auth/callback',
  'https://app.example.com\u3002evil.example/auth/callback',
  'https://user:pass@app.example.com/auth/callback',
  'https://*.example.com/auth/callback',
  'https://app.example.com/auth/*',
  'http://127.0.0.1:7778/cb',
  'http://localhost:7777/cb',
  'http://127.0.0.1.evil.example:7777/cb',
  'http://0x7f000001:7777/cb',
  'javascript:alert(1)//https://app.example.com/auth/callback',
  'data:text/html,https://app.example.com/auth/callback',
  'myapp://app.example.com/auth/callback',
  'https://app.example.com/with?tenant=2',
  'https://app.example.com/with',
  'null',
  '*',
]

test(`none of ${hostileTargets.length} hostile redirect targets is accepted, and none gets a redirect`, async () => {
  const accepted: string[] = []
  for (const target of hostileTargets) {
    const answer = await app.authorize({ redirect_uri: target })
    const isRefused = answer.status === 400 && answer.body.error === 'invalid_request'
    if (!isRefused || answer.headers.has('location')) accepted.push(target)
  }
  expect(hostileTargets.length).toBeGreaterThanOrEqual(40)
  expect(accepted).toEqual([])
  const [{ count } = { count: -1 }] = await platform.database.sql<{ count: number }[]>`
    select count(*)::int as count from svc.oauth_requests`
  expect(count).toBe(0)
})

test('every registered address is accepted as it was registered, its own query kept', async () => {
  for (const target of [callback, 'http://127.0.0.1:7777/cb', 'https://app.example.com/with?tenant=1']) {
    expect((await app.authorize({ redirect_uri: target })).status).toBe(302)
    const faulty = await app.authorize({ redirect_uri: target, response_type: 'token' })
    expect(faulty.headers.get('location')?.startsWith(target)).toBe(true)
  }
  const back = (
    await app.authorize({ redirect_uri: 'https://app.example.com/with?tenant=1', scope: 'svc', state: 'x' })
  ).headers
  expect(back.get('location')).toMatch(/\/oauth\/consent\?request_id=/)
})

test('an unknown, malformed or switched-off client and missing parameters are answered here, with 400', async () => {
  const cases = [
    [{ client_id: undefined }, 'invalid_request'],
    [{ redirect_uri: undefined }, 'invalid_request'],
    [{ client_id: '' }, 'invalid_request'],
    [{ client_id: 'nobody' }, 'invalid_client'],
    [{ client_id: "' or 1=1 --" }, 'invalid_client'],
    [{ client_id: '0190a1b2-0000-7000-8000-000000000000' }, 'invalid_client'],
  ] as const
  for (const [change, error] of cases) {
    const answer = await app.authorize(change)
    expect([answer.status, answer.body.error, answer.headers.get('location')]).toEqual([400, error, null])
    expect(typeof answer.body.error_description).toBe('string')
  }
  const off = await registerApp(platform.url, owner)
  const at = `/v1/accounts/${owner.accountId}/iam/oauth-clients/${off.clientId}`
  const patch = { method: 'PATCH', headers: owner.person.headers, body: JSON.stringify({ active: false }) }
  expect((await send(platform.url, at, patch)).body.active).toBe(false)
  const refused = await off.authorize()
  expect([refused.status, refused.body.error]).toEqual([400, 'invalid_client'])
})

test('later faults return to the verified address with the error and the state', async () => {
  const cases: [Record<string, string | undefined>, string][] = [
    [{ response_type: undefined }, 'invalid_request'],
    [{ response_type: 'token' }, 'invalid_request'],
    [{ code_challenge: undefined }, 'invalid_request'],
    [{ code_challenge: 'short' }, 'invalid_request'],
    [{ code_challenge: `${'a'.repeat(42)}=` }, 'invalid_request'],
    [{ code_challenge: 'a'.repeat(44) }, 'invalid_request'],
    [{ code_challenge_method: undefined }, 'invalid_request'],
    [{ code_challenge_method: 'plain' }, 'invalid_request'],
    [{ code_challenge_method: 's256' }, 'invalid_request'],
  ]
  for (const [change, error] of cases) {
    const answer = await app.authorize({ ...change, state: 'täg & =' })
    const back = new URL(answer.headers.get('location') ?? '')
    expect([answer.status, `${back.origin}${back.pathname}`]).toEqual([302, callback])
    expect([back.searchParams.get('error'), back.searchParams.get('state')]).toEqual([error, 'täg & ='])
    expect(back.searchParams.get('error_description')).toMatch(/\w/)
  }
})

test('a state that is too long or holds control characters is refused without being echoed', async () => {
  for (const state of ['x'.repeat(2049), 'a\u0000b', 'a\r\nb']) {
    const back = new URL((await app.authorize({ state })).headers.get('location') ?? '')
    expect([back.searchParams.get('error'), back.searchParams.has('state')]).toEqual(['invalid_request', false])
  }
  expect((await app.authorize({ state: undefined })).headers.get('location')).toContain('/oauth/consent')
})

test('a parameter that is given twice is refused, wherever two readers could differ', async () => {
  const query = (extra: string) =>
    `/v1/oauth/authorize?client_id=${app.clientId}&redirect_uri=${encodeURIComponent(callback)}&response_type=code` +
    `&code_challenge=${'a'.repeat(43)}&code_challenge_method=S256&state=one${extra}`
  expect((await send(platform.url, query(''))).headers.get('location')).toContain('/oauth/consent')
  for (const extra of ['&redirect_uri=https%3A%2F%2Fevil.example', `&client_id=${app.clientId}`]) {
    const answer = await send(platform.url, query(extra))
    expect([answer.status, answer.body.error]).toEqual([400, 'invalid_request'])
  }
  const back = new URL((await send(platform.url, query('&state=two'))).headers.get('location') ?? '')
  expect(back.searchParams.get('error')).toBe('invalid_request')
})
