import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestPlatform } from '../../../../../tests/support/platform.ts'
import { callback, createOwner, registerApp, send, sendForm, userinfo } from '../testing/third-party-app.ts'

let platform: Awaited<ReturnType<typeof startTestPlatform>>
let owner: Awaited<ReturnType<typeof createOwner>>
let base: string
beforeAll(async () => {
  platform = await startTestPlatform()
  owner = await createOwner(platform)
  base = `/v1/accounts/${owner.accountId}/iam/oauth-clients`
})
afterAll(() => platform.stop())

const call = (method: string, path: string, body?: unknown, headers = owner.person.headers) =>
  send(platform.url, path, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) })

describe('the registry', () => {
  test('registers, lists, reads, changes and deletes a client, each with its audit event', async () => {
    const created = await call('POST', base, { name: ' Kettle ', redirect_uris: [callback] })
    expect(created.status).toBe(201)
    expect(created.body).toMatchObject({
      name: 'Kettle',
      description: null,
      client_type: 'confidential',
      redirect_uris: [callback],
      scopes: ['profile', 'email', 'svc'],
      active: true,
    })
    expect(created.body.client_secret).toMatch(/^svc_ocs_[0-9A-Za-z]{38}$/)
    const { client_secret: secret, ...record } = created.body
    const at = `${base}/${record.client_id}`
    expect((await call('GET', at)).body).toEqual(record)
    const listed = await call('GET', base)
    expect(listed.body).toEqual({ oauth_clients: [record], scopes_supported: ['profile', 'email', 'svc'] })

    const change = { name: 'Pot', description: 'Tea', scopes: ['svc', 'email'], redirect_uris: ['https://b.example/'] }
    const changed = await call('PATCH', at, change)
    expect(changed.body).toMatchObject({ ...change, scopes: ['email', 'svc'], active: true })
    const rotated = await call('POST', `${at}/rotate-secret`)
    expect(rotated.body.client_secret).toMatch(/^svc_ocs_/)
    expect(rotated.body.client_secret).not.toBe(secret)
    expect((await call('DELETE', at)).body).toEqual({ deleted: true })
    expect((await call('GET', at)).status).toBe(404)

    const events = await platform.database.sql`
      select action, account_id, to_jsonb(event)::text as row from svc.audit_events as event
      where resource_id = ${record.client_id} and action like 'iam.%' order by occurred_at`
    expect(events.map(({ action }) => action)).toEqual([
      'iam.oauth_client.create',
      'iam.oauth_client.update',
      'iam.oauth_client.rotate_secret',
      'iam.oauth_client.delete',
    ])
    for (const { account_id, row } of events) {
      expect(account_id).toBe(owner.accountId)
      expect(row).not.toContain('svc_ocs_')
    }
  })

  test('a public client has no secret, and none to rotate', async () => {
    const created = await call('POST', base, { name: 'Spa', client_type: 'public', redirect_uris: [callback] })
    expect([created.status, created.body.client_secret]).toEqual([201, null])
    const rotated = await call('POST', `${base}/${created.body.client_id}/rotate-secret`)
    expect([rotated.status, rotated.body.code]).toEqual([400, 'invalid_request'])
  })

  test('only plain https addresses, and http on loopback, can be registered', async () => {
    const good = ['https://a.example/cb?x=1', 'http://localhost:3000/cb', 'http://127.0.0.1/cb', 'http://[::1]:9/cb']
    expect((await call('POST', base, { name: 'Good', redirect_uris: good })).body.redirect_uris).toEqual(good)
    const bad = [
      'http://a.example/cb',
      'http://127.0.0.1.evil.example/cb',
      'http://localhost.evil.example/cb',
      'https://a.example/cb#part',
      'https://a.example/cb#',
      'https://user@a.example/cb',
      'https://@a.example/cb',
      'https://*.example/cb',
      'https:a.example/cb',
      'https:///cb',
      'https://a.example\\cb',
      'https://a.example/c b',
      'https://\u0430.example/cb',
      'https://a.example/cb\n',
      'javascript:alert(1)',
      'myapp://cb',
      '/cb',
      '',
      `https://a.example/${'x'.repeat(2048)}`,
    ]
    for (const uri of bad) {
      const refused = await call('POST', base, { name: 'Bad', redirect_uris: [uri] })
      expect([uri, refused.status, refused.body.code]).toEqual([uri, 400, 'validation_failed'])
    }
  })

  test.each([
    ['no address', { redirect_uris: [] }],
    ['more than 20 addresses', { redirect_uris: Array.from({ length: 21 }, (_, at) => `https://a.example/${at}`) }],
    ['one address twice', { redirect_uris: [callback, callback] }],
    ['no name', { name: '  ' }],
    ['a long name', { name: 'x'.repeat(256) }],
    ['a name that hides text', { name: 'Kettle\u202ecilbup' }],
    ['a long description', { description: 'x'.repeat(1025) }],
    ['an unknown scope', { scopes: ['admin'] }],
    ['no scope', { scopes: [] }],
    ['an unknown type', { client_type: 'native' }],
  ])('%s is refused', async (_what, change) => {
    const refused = await call('POST', base, { name: 'Bad', redirect_uris: [callback], ...change })
    expect([refused.status, refused.body.code]).toEqual([400, 'validation_failed'])
  })

  test('another account’s client answers like one that does not exist, and strangers are refused', async () => {
    const app = await registerApp(platform.url, owner)
    const other = await createOwner(platform)
    const elsewhere = `/v1/accounts/${other.accountId}/iam/oauth-clients/${app.clientId}`
    const unknown = `/v1/accounts/${other.accountId}/iam/oauth-clients/0190a1b2-0000-7000-8000-000000000000`
    for (const [method, suffix, body] of [
      ['GET', '', undefined],
      ['PATCH', '', { name: 'Mine' }],
      ['DELETE', '', undefined],
      ['POST', '/rotate-secret', undefined],
    ] as const) {
      const [mine, none] = await Promise.all(
        [elsewhere, unknown].map((path) => call(method, `${path}${suffix}`, body, other.person.headers)),
      )
      expect([method, mine?.status, mine?.body.error]).toEqual([method, 404, none?.body.error])
      const refused = await call(method, `${base}/${app.clientId}${suffix}`, body, other.person.headers)
      expect([method, refused.status]).toEqual([method, 403])
    }
  })
})

describe('what a change takes away', () => {
  test('a switched-off client gets 401 everywhere, at once, and works again when it is switched on', async () => {
    const app = await registerApp(platform.url, owner)
    const tokens = await app.obtainTokens(owner.person)
    expect((await userinfo(platform.url, tokens.access_token)).status).toBe(200)
    await call('PATCH', `${base}/${app.clientId}`, { active: false })
    expect((await userinfo(platform.url, tokens.access_token)).status).toBe(401)
    const refreshed = await app.refresh(tokens.refresh_token)
    expect([refreshed.status, refreshed.body.error]).toEqual([401, 'invalid_client'])
    expect((await app.revoke(tokens.refresh_token)).status).toBe(401)
    await call('PATCH', `${base}/${app.clientId}`, { active: true })
    expect((await userinfo(platform.url, tokens.access_token)).status).toBe(200)
    expect((await app.refresh(tokens.refresh_token)).status).toBe(200)
  })

  test('a scope that the client loses is lost for tokens it has', async () => {
    const app = await registerApp(platform.url, owner)
    const tokens = await app.obtainTokens(owner.person)
    const acting = { authorization: `Bearer ${tokens.access_token}`, 'content-type': 'application/json' }
    expect((await call('GET', base, undefined, acting)).status).toBe(200)
    await call('PATCH', `${base}/${app.clientId}`, { scopes: ['email'] })
    expect((await call('GET', base, undefined, acting)).status).toBe(403)
    expect((await app.refresh(tokens.refresh_token)).body.scope).toBe('email')
  })

  test('the old secret ends with the rotation; tokens stay', async () => {
    const app = await registerApp(platform.url, owner)
    const tokens = await app.obtainTokens(owner.person)
    const rotated = await call('POST', `${base}/${app.clientId}/rotate-secret`)
    const old = await app.refresh(tokens.refresh_token)
    expect([old.status, old.body.error]).toEqual([401, 'invalid_client'])
    const fresh = await sendForm(platform.url, '/v1/oauth/token', {
      grant_type: 'refresh_token',
      client_id: app.clientId,
      client_secret: rotated.body.client_secret,
      refresh_token: tokens.refresh_token,
    })
    expect(fresh.status).toBe(200)
  })

  test('deleting a client ends every token it got', async () => {
    const app = await registerApp(platform.url, owner)
    const tokens = await app.obtainTokens(owner.person)
    expect((await userinfo(platform.url, tokens.access_token)).status).toBe(200)
    await call('DELETE', `${base}/${app.clientId}`)
    expect((await userinfo(platform.url, tokens.access_token)).status).toBe(401)
    expect((await app.refresh(tokens.refresh_token)).status).toBe(401)
  })

  test('a request that waits for consent ends with its client’s address', async () => {
    const app = await registerApp(platform.url, owner)
    const started = await app.authorize()
    await call('PATCH', `${base}/${app.clientId}`, { redirect_uris: ['https://b.example/'] })
    const requestId = new URL(started.headers.get('location') ?? '').searchParams.get('request_id')
    const decided = await call('POST', '/v1/oauth/authorize/consent', { request_id: requestId, approved: true })
    expect([decided.status, decided.body.error]).toEqual([400, 'invalid_request'])
  })
})
