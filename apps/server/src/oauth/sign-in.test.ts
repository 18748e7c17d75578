import * as client from 'openid-client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPerson } from '../../../../tests/support/people.ts'
import { startTestPlatform } from '../../../../tests/support/platform.ts'
import {
  callback,
  createOwner,
  createPkce,
  readRequestId,
  registerApp,
  send,
  sendForm,
  userinfo,
} from './testing/third-party-app.ts'

let platform: Awaited<ReturnType<typeof startTestPlatform>>
let owner: Awaited<ReturnType<typeof createOwner>>
beforeAll(async () => {
  platform = await startTestPlatform()
  owner = await createOwner(platform)
})
afterAll(() => platform.stop())

describe('a third-party app with a strict client', () => {
  test.each(['confidential', 'public'])(
    'signs a person in, acts as them, refreshes and signs out (%s)',
    async (type) => {
      const app = await registerApp(platform.url, owner, { client_type: type })
      const secret = app.credentials.client_secret
      const config = await client.discovery(
        new URL(platform.url),
        app.clientId,
        undefined,
        secret === undefined ? client.None() : client.ClientSecretPost(secret),
        { algorithm: 'oauth2', execute: [client.allowInsecureRequests] },
      )
      const verifier = client.randomPKCECodeVerifier()
      const state = client.randomState()
      const url = client.buildAuthorizationUrl(config, {
        redirect_uri: callback,
        scope: 'profile email svc',
        state,
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      })
      const started = await fetch(url, { redirect: 'manual' })
      const page = new URL(started.headers.get('location') ?? '')
      expect([started.status, page.origin, page.pathname]).toEqual([302, platform.url, '/oauth/consent'])
      const requestId = page.searchParams.get('request_id') ?? ''

      const { headers, userId, email } = owner.person
      const asked = await send(platform.url, `/v1/oauth/authorize/consent/${requestId}`, { headers })
      expect(asked.body).toEqual({
        client_id: app.clientId,
        client_name: 'Kettle',
        client_type: type,
        scope: 'profile email svc',
        scopes: ['profile', 'email', 'svc'],
        remembered: false,
        redirect_to: callback,
      })
      const decision = { method: 'POST', headers, body: JSON.stringify({ request_id: requestId, approved: true }) }
      const decided = await send(platform.url, '/v1/oauth/authorize/consent', decision)
      const tokens = await client.authorizationCodeGrant(config, new URL(decided.body.redirect_uri), {
        pkceCodeVerifier: verifier,
        expectedState: state,
      })
      expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 3600, scope: 'profile email svc' })
      expect(tokens.access_token).toMatch(/^svc_oat_[0-9A-Za-z]{38}$/)
      expect(tokens.refresh_token).toMatch(/^svc_ort_[0-9A-Za-z]{38}$/)

      const info = await client.fetchUserInfo(config, tokens.access_token, userId)
      expect(info).toEqual({ sub: userId, user_id: userId, account_id: owner.accountId, email })
      const acting = { headers: { authorization: `Bearer ${tokens.access_token}` } }
      const listed = await send(platform.url, `/v1/accounts/${owner.accountId}/iam/oauth-clients`, acting)
      expect(listed.status).toBe(200)

      const renewed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '')
      expect(renewed.access_token).not.toBe(tokens.access_token)
      expect((await client.fetchUserInfo(config, renewed.access_token, userId)).email).toBe(email)
      await client.tokenRevocation(config, renewed.refresh_token ?? '')
      expect((await userinfo(platform.url, renewed.access_token)).status).toBe(401)
    },
  )

  test('finds one cacheable description at both places', async () => {
    const at = '/.well-known/oauth-authorization-server'
    const [root, below] = await Promise.all([send(platform.url, at), send(platform.url, `/v1/oauth${at}`)])
    expect(root.headers.get('cache-control')).toBe('public, max-age=3600')
    expect(below.headers.get('cache-control')).toBe('public, max-age=3600')
    expect(root.body).toEqual(below.body)
    expect(root.body).toEqual({
      issuer: platform.url,
      authorization_endpoint: `${platform.url}/v1/oauth/authorize`,
      token_endpoint: `${platform.url}/v1/oauth/token`,
      revocation_endpoint: `${platform.url}/v1/oauth/revoke`,
      userinfo_endpoint: `${platform.url}/v1/oauth/userinfo`,
      scopes_supported: ['profile', 'email', 'svc'],
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_methods_supported: ['client_secret_post', 'none'],
      code_challenge_methods_supported: ['S256'],
    })
  })
})

describe('consent', () => {
  const decide = (requestId: string, approved: boolean, headers: Record<string, string>) =>
    send(platform.url, '/v1/oauth/authorize/consent', {
      method: 'POST',
      headers,
      body: JSON.stringify({ request_id: requestId, approved }),
    })

  test('a denied request returns to the app with access_denied and its state, and is gone', async () => {
    const app = await registerApp(platform.url, owner)
    const requestId = readRequestId(await app.authorize({ state: 'a b&c=d' }))
    const denied = await decide(requestId, false, owner.person.headers)
    const back = new URL(denied.body.redirect_uri)
    expect(`${back.origin}${back.pathname}`).toBe(callback)
    expect([back.searchParams.get('error'), back.searchParams.get('state')]).toEqual(['access_denied', 'a b&c=d'])
    expect(back.searchParams.has('code')).toBe(false)
    const again = await decide(requestId, true, owner.person.headers)
    expect([again.status, again.body.error]).toEqual([400, 'invalid_request'])
  })

  test('of two decisions at once one counts', async () => {
    const app = await registerApp(platform.url, owner)
    const requestId = readRequestId(await app.authorize())
    const answers = await Promise.all([1, 2, 3].map(() => decide(requestId, true, owner.person.headers)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400])
  })

  test('a request is open for ten minutes', async () => {
    const app = await registerApp(platform.url, owner)
    const requestId = readRequestId(await app.authorize())
    const [row] = await platform.database.sql<{ leftMs: number }[]>`
      update svc.oauth_requests set expires_at = expires_at - interval '10 minutes' where request_id = ${requestId}
      returning extract(epoch from now() - expires_at) * 1000 as "leftMs"`
    expect(Number(row?.leftMs)).toBeGreaterThan(0)
    expect(Number(row?.leftMs)).toBeLessThan(60_000)
    const path = `/v1/oauth/authorize/consent/${requestId}`
    const read = await send(platform.url, path, { headers: owner.person.headers })
    expect([read.status, read.body.error]).toEqual([400, 'invalid_request'])
    expect((await decide(requestId, true, owner.person.headers)).body.error).toBe('invalid_request')
  })

  test('what was approved is remembered for that person, that app and those scopes', async () => {
    const app = await registerApp(platform.url, owner)
    const stranger = await createPerson(platform)
    const remembered = async (scope: string, person = owner.person) => {
      const requestId = readRequestId(await app.authorize({ scope }))
      const path = `/v1/oauth/authorize/consent/${requestId}`
      return (await send(platform.url, path, { headers: person.headers })).body.remembered
    }
    await app.obtainCode(owner.person, 'profile')
    expect(await remembered('profile')).toBe(true)
    expect(await remembered('profile email')).toBe(false)
    await app.obtainCode(owner.person, 'email')
    expect(await remembered('profile email')).toBe(true)
    expect(await remembered('profile email svc')).toBe(false)
    expect(await remembered('profile', stranger)).toBe(false)
  })

  test('only a signed-in person decides: no other token does, and nobody without one', async () => {
    const app = await registerApp(platform.url, owner)
    const requestId = readRequestId(await app.authorize())
    const { access_token: token } = await app.obtainTokens(owner.person)
    const asApp = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    expect((await decide(requestId, true, asApp)).status).toBe(403)
    expect((await decide(requestId, true, { 'content-type': 'application/json' })).status).toBe(401)
    expect((await decide(requestId, true, owner.person.headers)).status).toBe(200)
  })
})

test('a person approves on the consent page, and the browser brings the code to the app', async () => {
  const app = await registerApp(platform.url, owner)
  const { verifier, challenge } = createPkce()
  const consent = new URL((await app.authorize({ code_challenge: challenge })).headers.get('location') ?? '')
  const person = await createPerson(platform)
  await platform.database.sql`update svc.sign_in_tokens set kind = 'page' where session_id = ${person.sessionId}`
  const session = `svc_page=${person.accessToken}`
  const shown = await fetch(consent, { headers: { cookie: session } })
  const page = await shown.text()
  expect(page).toContain('Kettle')
  const form = /svc_form=([^;]+)/.exec(shown.headers.get('set-cookie') ?? '')?.[0]
  const csrf = /name="csrf" value="([^"]+)"/.exec(page)?.[1] ?? ''
  const answered = await sendForm(
    platform.url,
    '/oauth/consent',
    { csrf, request_id: consent.searchParams.get('request_id') ?? '', decision: 'approve' },
    { cookie: `${session}; ${form}` },
  )
  const back = new URL(answered.headers.get('location') ?? '')
  expect([answered.status, `${back.origin}${back.pathname}`]).toEqual([303, callback])
  const tokens = await app.exchange(back.searchParams.get('code') ?? '', verifier)
  expect(tokens.status).toBe(200)
  const [event] = await platform.database.sql`
    select actor_user_id, outcome from svc.audit_events
    where action = 'auth.oauth.consent' and resource_id = ${app.clientId}`
  expect(event).toMatchObject({ actor_user_id: person.userId, outcome: 'success' })
})

describe('scopes', () => {
  test('without svc a token reaches userinfo and nothing of the API', async () => {
    const app = await registerApp(platform.url, owner)
    const { access_token: token } = await app.obtainTokens(owner.person, 'email')
    expect((await userinfo(platform.url, token)).status).toBe(200)
    const acting = { headers: { authorization: `Bearer ${token}` } }
    const refused = await send(platform.url, `/v1/accounts/${owner.accountId}/iam/oauth-clients`, acting)
    expect([refused.status, refused.body.code]).toEqual([403, 'forbidden'])
  })

  test('userinfo asks for an access token with profile or email', async () => {
    const app = await registerApp(platform.url, owner)
    const { access_token: token } = await app.obtainTokens(owner.person, 'svc')
    for (const other of [token, owner.person.accessToken]) {
      const refused = await userinfo(platform.url, other)
      expect([refused.status, refused.body.error, refused.body.required_scope]).toEqual([
        403,
        'insufficient_scope',
        'profile',
      ])
    }
    const unknown = await userinfo(platform.url, token.replace(/.$/, '_'))
    expect([unknown.status, unknown.body.error]).toEqual([401, 'invalid_token'])
  })

  test('an OAuth token makes no credentials: it may not register apps or rotate a secret', async () => {
    const app = await registerApp(platform.url, owner)
    const { access_token: token } = await app.obtainTokens(owner.person)
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const clients = `/v1/accounts/${owner.accountId}/iam/oauth-clients`
    const body = JSON.stringify({ name: 'Other', redirect_uris: [callback] })
    expect((await send(platform.url, clients, { method: 'POST', headers, body })).status).toBe(403)
    const rotated = await send(platform.url, `${clients}/${app.clientId}/rotate-secret`, { method: 'POST', headers })
    expect(rotated.status).toBe(403)
  })

  test('refresh tokens and client secrets open nothing as a bearer', async () => {
    const app = await registerApp(platform.url, owner)
    const { refresh_token: refresh } = await app.obtainTokens(owner.person)
    for (const token of [refresh, app.credentials.client_secret ?? '']) {
      expect((await userinfo(platform.url, token)).status).toBe(401)
    }
  })

  test('unknown names are ignored, none left means all that the app registered, others’ are refused', async () => {
    const app = await registerApp(platform.url, owner, { scopes: ['email', 'profile'] })
    const scopesOf = async (scope: string | undefined) => {
      const path = `/v1/oauth/authorize/consent/${readRequestId(await app.authorize({ scope }))}`
      return (await send(platform.url, path, { headers: owner.person.headers })).body.scope
    }
    expect(await scopesOf('openid profile offline_access')).toBe('profile')
    expect(await scopesOf('openid')).toBe('profile email')
    expect(await scopesOf(undefined)).toBe('profile email')
    const back = new URL((await app.authorize({ scope: 'profile svc' })).headers.get('location') ?? '')
    expect([back.searchParams.get('error'), back.searchParams.get('state')]).toEqual(['invalid_scope', 'st'])
  })
})
