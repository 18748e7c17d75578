import { afterAll, beforeAll, expect, test } from 'vitest'
import { findFreePort } from '../../../../tests/support/find-free-port.ts'
import { createPerson } from '../../../../tests/support/people.ts'
import { startTestPlatform } from '../../../../tests/support/platform.ts'
import { createClient, unlimited } from '../identity/testing/client.ts'
import { type IdentityServer, startIdentityServer } from '../identity/testing/identity-server.ts'
import { createBrowser } from './testing/browser.ts'

let platform: Awaited<ReturnType<typeof startTestPlatform>>
let issuer: IdentityServer
beforeAll(async () => {
  const port = await findFreePort()
  issuer = await startIdentityServer(`http://127.0.0.1:${port}/v1/auth/callback/keycloak`)
  platform = await startTestPlatform({
    ...unlimited,
    PORT: String(port),
    SVC_OIDC_KEYCLOAK_ISSUER: issuer.url,
    SVC_OIDC_KEYCLOAK_CLIENT_ID: 'svc',
    SVC_OIDC_KEYCLOAK_CLIENT_SECRET: issuer.clientSecret,
    SVC_ALLOW_PRIVATE_HOSTS: '127.0.0.1',
  })
  await createPerson(platform, { operator: true })
  await createClient(platform).settings({ sign_up: 'open' })
})
afterAll(async () => {
  await platform?.stop()
  await issuer?.stop()
})

/** As far as the other provider's own address. */
async function leave(next = '') {
  const browser = createBrowser(platform.url)
  await browser.open(`/sign-in${next === '' ? '' : `?next=${encodeURIComponent(next)}`}`)
  const link = /href="([^"]+)">Go on with Keycloak<\/a>/.exec(browser.page)?.[1] ?? ''
  await browser.open(link)
  expect(browser.url.startsWith(issuer.url)).toBe(true)
  return browser
}

test('the sign-in page leads to every configured provider and back, without script', async () => {
  const browser = await leave('/sign-up?email=x')
  await browser.open(await issuer.signIn(browser.url, { sub: 's1', email: 's1@example.com', email_verified: true }))
  expect(browser.url).toBe(`${platform.url}/sign-up?email=x`)
  await browser.open('/sign-in')
  expect(browser.page).toContain('Signed in as <strong>s1@example.com</strong>')
})

test('an answer that another browser asked for signs nobody in', async () => {
  const [browser, other] = [await leave(), await leave()]
  const person = { sub: 's2', email: 's2@example.com', email_verified: true }
  await other.open(await issuer.signIn(browser.url, person))
  expect(other.status).toBe(400)
  await other.open('/sign-in')
  expect(other.page).toContain('<h1>Sign in</h1>')
})

test('a refusal is told on the sign-in page in our own words', async () => {
  const browser = await leave()
  await browser.open(await issuer.signIn(browser.url, { sub: 's3', email: 's3@example.com', email_verified: false }))
  expect([browser.status, browser.page.includes('has not verified your address')]).toEqual([403, true])
  await browser.open('/sign-in/returned?error=made_up&error_description=Call+this+number')
  expect(browser.page).not.toContain('Call this number')
  await browser.open('/sign-in/with/myspace')
  expect([browser.status, browser.page.includes('is not set up on this instance')]).toEqual([400, true])
})
