import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startTestPlatform } from '../../../../../tests/support/platform.ts'
import { cleanOAuth } from '../store/grants.ts'
import {
  callback,
  createOwner,
  createPkce,
  registerApp,
  send,
  sendForm,
  type TestApp,
  userinfo,
} from '../testing/third-party-app.ts'

let platform: Awaited<ReturnType<typeof startTestPlatform>>
let owner: Awaited<ReturnType<typeof createOwner>>
let app: TestApp
beforeAll(async () => {
  platform = await startTestPlatform()
  owner = await createOwner(platform)
})
afterAll(() => platform.stop())
// All tests come from one address, and some spend what strangers may try from it.
beforeEach(() => platform.database.sql`delete from svc.rate_limits`)

/** Every test has an app of its own: the limit of 20 requests a minute is per client. */
const fresh = async (input?: Record<string, unknown>) => {
  app = await registerApp(platform.url, owner, input)
  return app
}
const refused = ({ status, body }: { status: number; body: { error?: string } }) => [status, body.error]
const opens = async (token: string) => (await userinfo(platform.url, token)).status
const events = async (action: string) =>
  platform.database.sql`select * from svc.audit_events where action = ${action} and resource_id = ${app.clientId}`

describe('a code', () => {
  test('used twice is refused, and the tokens it produced end', async () => {
    await fresh()
    const { code, verifier } = await app.obtainCode(owner.person)
    const first = await app.exchange(code, verifier)
    expect([first.status, await opens(first.body.access_token)]).toEqual([200, 200])
    expect([first.headers.get('cache-control'), first.headers.get('pragma')]).toEqual(['no-store', 'no-cache'])
    expect(refused(await app.exchange(code, verifier))).toEqual([400, 'invalid_grant'])
    expect(await opens(first.body.access_token)).toBe(401)
    expect(refused(await app.refresh(first.body.refresh_token))).toEqual([400, 'invalid_grant'])
    expect((await events('auth.oauth.code.reused')).length).toBe(1)
  })

  test('used twice after a refresh ends the refreshed tokens too', async () => {
    await fresh()
    const { code, verifier } = await app.obtainCode(owner.person)
    const first = await app.exchange(code, verifier)
    const renewed = await app.refresh(first.body.refresh_token)
    expect(await opens(renewed.body.access_token)).toBe(200)
    await app.exchange(code, 'x'.repeat(43))
    expect(await opens(renewed.body.access_token)).toBe(401)
  })

  test('of many exchanges at once at most one succeeds', async () => {
    await fresh()
    const { code, verifier } = await app.obtainCode(owner.person)
    const answers = await Promise.all(Array.from({ length: 8 }, () => app.exchange(code, verifier)))
    expect(answers.filter(({ status }) => status === 200).length).toBe(1)
    const [{ count } = { count: -1 }] = await platform.database.sql<{ count: number }[]>`
      select count(*)::int as count from svc.oauth_grants where client_id = ${app.clientId}`
    expect(count).toBe(1)
  })

  test('stolen without its verifier opens nothing, and is spent by the attempt', async () => {
    await fresh()
    for (const wrong of [createPkce().verifier, 'a'.repeat(42), 'a'.repeat(129), `${'a'.repeat(42)}+`]) {
      const { code, verifier } = await app.obtainCode(owner.person)
      expect(refused(await app.exchange(code, wrong))).toEqual([400, 'invalid_grant'])
      expect(refused(await app.exchange(code, verifier))).toEqual([400, 'invalid_grant'])
    }
    const { code } = await app.obtainCode(owner.person)
    expect(refused(await app.exchange(code, ''))).toEqual([400, 'invalid_request'])
  })

  test.each([43, 128])('takes a verifier of %s characters', async (length) => {
    await fresh()
    const { challenge, verifier } = createPkce('-._~'.padEnd(length, 'aZ09'))
    const started = await app.authorize({ code_challenge: challenge })
    const requestId = new URL(started.headers.get('location') ?? '').searchParams.get('request_id')
    const decided = await send(platform.url, '/v1/oauth/authorize/consent', {
      method: 'POST',
      headers: owner.person.headers,
      body: JSON.stringify({ request_id: requestId, approved: true }),
    })
    const code = new URL(decided.body.redirect_uri).searchParams.get('code') ?? ''
    expect((await app.exchange(code, verifier)).status).toBe(200)
  })

  test('belongs to its client and to its redirect address', async () => {
    const thief = await fresh()
    await fresh({ redirect_uris: [callback, 'https://app.example.com/other'] })
    const first = await app.obtainCode(owner.person)
    expect(refused(await thief.exchange(first.code, first.verifier))).toEqual([400, 'invalid_grant'])
    const second = await app.obtainCode(owner.person)
    const elsewhere = { redirect_uri: 'https://app.example.com/other' }
    expect(refused(await app.exchange(second.code, second.verifier, elsewhere))).toEqual([400, 'invalid_grant'])
  })

  test('works for five minutes', async () => {
    await fresh()
    const { code, verifier } = await app.obtainCode(owner.person)
    const [row] = await platform.database.sql<{ pastMs: number }[]>`
      update svc.oauth_codes set expires_at = expires_at - interval '5 minutes' where client_id = ${app.clientId}
      returning extract(epoch from now() - expires_at)::float8 * 1000 as "pastMs"`
    expect(row?.pastMs).toBeGreaterThan(0)
    expect(row?.pastMs).toBeLessThan(60_000)
    expect(refused(await app.exchange(code, verifier))).toEqual([400, 'invalid_grant'])
  })
})

describe('a refresh', () => {
  /** As if everything of this app had happened that much earlier. */
  const letPass = (seconds: number) => platform.database.sql`
    update svc.oauth_tokens set spent_at = spent_at - ${seconds} * interval '1 second'
    where grant_id in (select grant_id from svc.oauth_grants where client_id = ${app.clientId})`

  test('of many tabs at once gives all of them one and the same new pair', async () => {
    await fresh()
    const rounds = process.env.SVC_TEST_LONG === '1' ? 3 : 2
    let { refresh_token: token } = await app.obtainTokens(owner.person)
    for (let round = 0; round < rounds; round++) {
      const answers = await Promise.all(Array.from({ length: 5 }, () => app.refresh(token)))
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
      expect(new Set(answers.map(({ body }) => body.access_token)).size).toBe(1)
      expect(new Set(answers.map(({ body }) => body.refresh_token)).size).toBe(1)
      expect(answers[0]?.body.refresh_token).not.toBe(token)
      token = answers[0]?.body.refresh_token
      expect(await opens(answers[0]?.body.access_token)).toBe(200)
    }
  })

  test('repeated within 30 seconds gives the newest pair; later it ends the whole grant', async () => {
    await fresh()
    const { refresh_token: first } = await app.obtainTokens(owner.person)
    const second = (await app.refresh(first)).body
    const third = (await app.refresh(second.refresh_token)).body
    await letPass(15)
    const late = (await app.refresh(first)).body
    expect([late.access_token, late.refresh_token]).toEqual([third.access_token, third.refresh_token])
    expect(late.expires_in).toBeGreaterThan(3_500)

    await letPass(16)
    expect(refused(await app.refresh(first))).toEqual([400, 'invalid_grant'])
    expect(await opens(third.access_token)).toBe(401)
    expect(refused(await app.refresh(third.refresh_token))).toEqual([400, 'invalid_grant'])
    expect((await events('auth.oauth.refresh.reused')).length).toBe(1)
  })

  test('ends the old access token within the same 30 seconds', async () => {
    await fresh()
    const tokens = await app.obtainTokens(owner.person)
    await app.refresh(tokens.refresh_token)
    const [row] = await platform.database.sql<{ leftMs: number }[]>`
      select extract(epoch from access_expires_at - spent_at)::float8 * 1000 as "leftMs" from svc.oauth_tokens
      where spent_at is not null and grant_id in (select grant_id from svc.oauth_grants where client_id = ${app.clientId})`
    expect(row?.leftMs).toBe(30_000)
  })

  test('belongs to its client, and a stranger’s attempt ends nothing', async () => {
    const thief = await fresh()
    await fresh()
    const { refresh_token: token } = await app.obtainTokens(owner.person)
    expect(refused(await thief.refresh(token))).toEqual([400, 'invalid_grant'])
    expect((await app.refresh(token)).status).toBe(200)
  })

  test('works for 30 days from the last one', async () => {
    await fresh()
    const { refresh_token: token } = await app.obtainTokens(owner.person)
    await platform.database.sql`
      update svc.oauth_tokens set refresh_expires_at = refresh_expires_at - interval '30 days'
      where grant_id in (select grant_id from svc.oauth_grants where client_id = ${app.clientId})`
    expect(refused(await app.refresh(token))).toEqual([400, 'invalid_grant'])
  })
})

describe('a revocation', () => {
  test.each(['access_token', 'refresh_token'] as const)('by the %s ends both of the pair', async (which) => {
    await fresh()
    const tokens = await app.obtainTokens(owner.person)
    expect(await opens(tokens.access_token)).toBe(200)
    expect((await app.revoke(tokens[which])).body).toEqual({ revoked: true })
    expect(await opens(tokens.access_token)).toBe(401)
    expect(refused(await app.refresh(tokens.refresh_token))).toEqual([400, 'invalid_grant'])
    expect((await app.revoke(tokens[which])).body).toEqual({ revoked: false })
  })

  test('of an unknown, mistyped or foreign token answers 200 and ends nothing', async () => {
    const other = await fresh()
    await fresh()
    const tokens = await app.obtainTokens(owner.person)
    for (const token of ['x', 'svc_oat_x', `${tokens.access_token}x`, owner.person.accessToken]) {
      const answer = await app.revoke(token)
      expect([answer.status, answer.body]).toEqual([200, { revoked: false }])
    }
    expect((await other.revoke(tokens.refresh_token)).body).toEqual({ revoked: false })
    expect(await opens(tokens.access_token)).toBe(200)
    expect(refused(await app.revoke(''))).toEqual([400, 'invalid_request'])
  })
})

describe('a client', () => {
  const token = (fields: Record<string, string>, headers = {}) =>
    sendForm(platform.url, '/v1/oauth/token', fields, headers)

  test('that is unknown, has a wrong secret, no secret, or one too many gets 401', async () => {
    await fresh()
    const form = { grant_type: 'refresh_token', refresh_token: 'x' }
    const open = await registerApp(platform.url, owner, { client_type: 'public' })
    const wrong = [
      { client_id: 'nobody' },
      { client_id: '0190a1b2-0000-7000-8000-000000000000' },
      { client_id: app.clientId },
      { client_id: app.clientId, client_secret: '' },
      { client_id: app.clientId, client_secret: 'svc_ocs_wrong' },
      { client_id: open.clientId, client_secret: app.credentials.client_secret ?? '' },
    ]
    for (const credentials of wrong) {
      expect(refused(await token({ ...form, ...credentials }))).toEqual([401, 'invalid_client'])
    }
    expect(refused(await token(form))).toEqual([400, 'invalid_request'])
    expect(refused(await token({ ...form, client_id: open.clientId }))).toEqual([400, 'invalid_grant'])
    const basic = await token({ ...form, client_id: app.clientId }, { authorization: 'Basic eDp5' })
    expect([...refused(basic), basic.headers.get('www-authenticate')]).toEqual([
      401,
      'invalid_client',
      'Basic realm="oauth"',
    ])
  })

  test('may ask 20 times a minute, and the 21st answer says when to come back', async () => {
    await fresh()
    const other = await registerApp(platform.url, owner)
    const form = { grant_type: 'refresh_token', ...app.credentials, refresh_token: 'x' }
    for (let call = 1; call <= 20; call++) expect(refused(await token(form))).toEqual([400, 'invalid_grant'])
    const late = await token(form)
    expect(refused(late)).toEqual([429, 'rate_limit_exceeded'])
    expect(Number(late.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(late.body.retry_after_seconds).toBe(Number(late.headers.get('retry-after')))
    expect(refused(await other.refresh('x'))).toEqual([400, 'invalid_grant'])
  })

  test('is not shut out by strangers who guess its secret; they are', async () => {
    await fresh()
    const form = { grant_type: 'refresh_token', client_id: app.clientId, client_secret: 'guess', refresh_token: 'x' }
    const statuses = []
    for (let call = 1; call <= 21; call++) statuses.push((await token(form)).status)
    expect(statuses).toContain(401)
    expect(statuses.at(-1)).toBe(429)
    expect(refused(await app.refresh('x'))).toEqual([400, 'invalid_grant'])
  })
})

describe('forms', () => {
  const post = (body: string | Uint8Array<ArrayBuffer>, contentType: string | undefined) =>
    send(platform.url, '/v1/oauth/token', {
      method: 'POST',
      body,
      headers: contentType === undefined ? {} : { 'content-type': contentType },
    })
  const formType = 'application/x-www-form-urlencoded'

  test('missing or unknown grant types are told apart', async () => {
    await fresh()
    const form = (fields: Record<string, string>) =>
      sendForm(platform.url, '/v1/oauth/token', { ...app.credentials, ...fields })
    expect(refused(await form({}))).toEqual([400, 'invalid_request'])
    expect(refused(await form({ grant_type: '' }))).toEqual([400, 'invalid_request'])
    for (const type of ['password', 'client_credentials', 'AUTHORIZATION_CODE', 'constructor']) {
      expect(refused(await form({ grant_type: type }))).toEqual([400, 'unsupported_grant_type'])
    }
    expect(refused(await form({ grant_type: 'authorization_code', code: 'x' }))).toEqual([400, 'invalid_request'])
    expect(refused(await form({ grant_type: 'refresh_token' }))).toEqual([400, 'invalid_request'])
  })

  test('malformed and oversized ones are refused in the protocol’s own shape', async () => {
    await fresh()
    const credentials = new URLSearchParams(app.credentials).toString()
    const cases: [Promise<{ status: number; body: { error?: string } }>, [number, string]][] = [
      [post('{"grant_type":"refresh_token"}', 'application/json'), [415, 'unsupported_media_type']],
      [post('a=b', undefined), [415, 'unsupported_media_type']],
      [post('a=b', 'multipart/form-data; boundary=x'), [415, 'unsupported_media_type']],
      [post('', formType), [400, 'invalid_request']],
      [post('&&&===&', formType), [400, 'invalid_request']],
      [post(`${credentials}&grant_type=refresh_token&refresh_token=%00`, formType), [400, 'invalid_grant']],
      [
        post(`${credentials}&grant_type=authorization_code&code=%FF&redirect_uri=%00&code_verifier=%00`, formType),
        [400, 'invalid_grant'],
      ],
      [post(`client_id=%00&grant_type=refresh_token`, formType), [401, 'invalid_client']],
      [post(`__proto__=x&constructor=y`, formType), [400, 'invalid_request']],
      [
        post(`${credentials}&grant_type=refresh_token&refresh_token=${'x'.repeat(2049)}`, formType),
        [400, 'validation_failed'],
      ],
      [post(`${credentials}&x=${'y'.repeat(20_000)}`, formType), [413, 'payload_too_large']],
      [post(new Uint8Array([0x63, 0x3d, 0xff, 0xfe]), formType), [400, 'invalid_encoding']],
    ]
    for (const [answer, expected] of cases) expect(refused(await answer)).toEqual(expected)
  })

  test('of random bytes never end in a fault of ours', async () => {
    await fresh({ client_type: 'public' })
    for (let round = 0; round < 10; round++) {
      const noise = randomBytes(64).toString('latin1')
      const answer = await sendForm(platform.url, '/v1/oauth/token', {
        client_id: app.clientId,
        grant_type: round % 2 ? 'refresh_token' : 'authorization_code',
        code: noise,
        refresh_token: `svc_ort_${noise}`,
        redirect_uri: noise,
        code_verifier: noise,
      })
      expect(refused(answer), JSON.stringify(noise)).toEqual([400, 'invalid_grant'])
    }
  })
})

test('no token, code or secret stands in the store, the audit log or the log', async () => {
  await fresh()
  const { code, verifier } = await app.obtainCode(owner.person)
  const tokens = (await app.exchange(code, verifier)).body
  const renewed = (await app.refresh(tokens.refresh_token)).body
  const tables = ['oauth_clients', 'oauth_codes', 'oauth_grants', 'oauth_tokens', 'audit_events', 'idempotency_keys']
  const dumps = await Promise.all(
    tables.map(
      (table) => platform.database.sql`select to_jsonb(t)::text as row from svc.${platform.database.sql(table)} t`,
    ),
  )
  const text = [...dumps.flat().map(({ row }) => row), ...platform.logLines()].join('\n')
  expect(text).toContain(app.clientId)
  const secrets = [tokens.access_token, tokens.refresh_token, renewed.access_token, renewed.refresh_token, code]
  for (const secret of [...secrets, app.credentials.client_secret]) expect(text.includes(secret)).toBe(false)
})

test('cleaning keeps what still opens something or proves a second use, and removes the rest', async () => {
  await fresh()
  const count = async () => {
    const [row] = await platform.database.sql<{ count: number }[]>`
      select (select count(*) from svc.oauth_requests)::int + (select count(*) from svc.oauth_codes)::int
        + (select count(*) from svc.oauth_tokens)::int + (select count(*) from svc.oauth_grants)::int as count`
    return row?.count
  }
  const later = (days: number) => cleanOAuth(platform.database.db, new Date(Date.now() + days * 24 * 3_600_000))
  const { code, verifier } = await app.obtainCode(owner.person)
  const first = (await app.exchange(code, verifier)).body
  const second = (await app.refresh(first.refresh_token)).body
  await later(29)
  expect(await opens(second.access_token)).toBe(200)
  expect(refused(await app.exchange(code, verifier))).toEqual([400, 'invalid_grant'])
  expect(await opens(second.access_token)).toBe(401)
  await later(61)
  expect(await count()).toBe(0)
})
