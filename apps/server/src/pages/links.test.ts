import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPerson, type Person } from '../../../../tests/support/people.ts'
import { startTestPlatform } from '../../../../tests/support/platform.ts'
import { createClient, unlimited } from '../identity/testing/client.ts'
import { createBrowser } from './testing/browser.ts'

/** Links that other capabilities send lead to pages that work, with those capabilities behind them. */

let platform: Awaited<ReturnType<typeof startTestPlatform>>
let client: ReturnType<typeof createClient>
let owner: Person
let accountId: string
beforeAll(async () => {
  platform = await startTestPlatform(unlimited)
  client = createClient(platform)
  owner = await createPerson(platform, { operator: true })
  const { body } = await client.post('/v1/accounts', { name: 'Harbour' }, owner.accessToken)
  accountId = body.account_id
})
afterAll(() => platform.stop())

const password = 'seven green kettles'
const invite = async (email: string) => {
  const { body } = await client.post(`/v1/accounts/${accountId}/members`, { email }, owner.accessToken)
  return body.invite_url as string
}
const members = async () => {
  const response = await fetch(`${platform.url}/v1/accounts/${accountId}/members`, { headers: owner.headers })
  return ((await response.json()) as { email: string }[]).map(({ email }) => email)
}
async function signInByMail(browser: ReturnType<typeof createBrowser>, email: string, next: string): Promise<void> {
  await browser.open(`/sign-in?next=${encodeURIComponent(next)}`)
  await browser.submit('/sign-in/email', { email })
  await browser.submit('/sign-in/code', { code: (await client.readMailWithCode(email)).code })
}

describe('an invitation', () => {
  test('lets an invited stranger sign up where others may not, and join', async () => {
    const email = 'invited@example.com'
    const link = await invite(email)
    const browser = createBrowser(platform.url)
    await browser.open(link)
    expect(browser.page).toContain('Sign in to go on')
    await browser.open(`/sign-up?next=${encodeURIComponent(new URL(link).pathname)}`)
    await browser.submit('/sign-up', { email: 'uninvited@example.com', password })
    expect(browser.status).toBe(422)
    await browser.submit('/sign-up', { email, password })
    expect(browser.page).toContain('Join Harbour')
    const action = new URL(link).pathname
    await browser.submit(action, { decision: 'accept' })
    expect(browser.page).toContain('You are in')
    expect(await members()).toContain(email)
    await browser.open(link)
    expect(browser.page).toContain('Already accepted')
  })

  test('shows nothing to somebody else, and can be declined by whom it is for', async () => {
    const email = 'declines@example.com'
    const link = await invite(email)
    const stranger = await createPerson(platform)
    const browser = createBrowser(platform.url)
    await signInByMail(browser, stranger.email, new URL(link).pathname)
    expect(browser.page).toContain('for somebody else')
    expect(browser.page).not.toContain('Harbour')

    const invited = createBrowser(platform.url)
    await signInByMail(invited, email, new URL(link).pathname)
    await invited.submit(new URL(link).pathname, { decision: 'decline' })
    expect(invited.page).toContain('Declined')
    expect(await members()).not.toContain(email)
  })

  test('is accepted 20 times a minute at most, by the page as by the call', async () => {
    const email = 'eager@example.com'
    const { pathname } = new URL(await invite(email))
    const browser = createBrowser(platform.url)
    await signInByMail(browser, email, pathname)
    const { csrf } = browser
    const statuses: number[] = []
    for (let at = 0; at < 21; at++) statuses.push(await browser.post(pathname, { csrf, decision: 'accept' }, {}))
    expect(statuses).toEqual([...Array(20).fill(200), 429])
  })
})

describe('a consent', () => {
  test('approved or not, the browser returns to the app with the answer, once', async () => {
    const redirectUri = 'https://app.example.com/callback'
    const created = await client.post(
      `/v1/accounts/${accountId}/iam/oauth-clients`,
      { name: 'Lighthouse', redirect_uris: [redirectUri] },
      owner.accessToken,
    )
    expect(created.status).toBe(201)
    const person = await createPerson(platform)
    const browser = createBrowser(platform.url)
    for (const [decision, parameter] of [
      ['approve', 'code'],
      ['deny', 'error'],
    ] as const) {
      const challenge = createHash('sha256').update('v'.repeat(43)).digest('base64url')
      const query = new URLSearchParams({
        client_id: created.body.client_id,
        redirect_uri: redirectUri,
        response_type: 'code',
        scope: 'profile',
        state: 's1',
        code_challenge: challenge,
        code_challenge_method: 'S256',
      })
      await browser.open(`/v1/oauth/authorize?${query}`)
      const consentUrl = browser.url
      if (decision === 'approve') {
        expect(browser.page).toContain('Sign in to go on')
        await signInByMail(browser, person.email, consentUrl.replace(platform.url, ''))
      }
      expect(browser.page).toContain('Let Lighthouse in?')
      expect(browser.policy).toContain("form-action 'self' https://app.example.com")
      await browser.submit('/oauth/consent', { decision })
      const returned = new URL(browser.url)
      expect(`${returned.origin}${returned.pathname}`).toBe(redirectUri)
      expect(returned.searchParams.get(parameter)).not.toBeNull()
      expect(returned.searchParams.get('state')).toBe('s1')
      await browser.open(consentUrl)
      expect(browser.status).toBe(400)
    }
  })
})
