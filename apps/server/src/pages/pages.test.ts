import { createServer, request } from 'node:http'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createPerson } from '../../../../tests/support/people.ts'
import { startTestPlatform } from '../../../../tests/support/platform.ts'
import { createClient, unlimited } from '../identity/testing/client.ts'
import { safePath } from './return-path.ts'
import { createBrowser } from './testing/browser.ts'

let platform: Awaited<ReturnType<typeof startTestPlatform>>
let client: ReturnType<typeof createClient>
beforeAll(async () => {
  platform = await startTestPlatform(unlimited)
  client = createClient(platform)
})
afterAll(() => platform.stop())

const password = 'seven green kettles'

describe('a person with a plain browser', () => {
  test('becomes the owner by the first-run link, signs out, and signs in again', async () => {
    const browser = createBrowser(platform.url)
    const { readFile } = await import('node:fs/promises')
    const link = (await readFile(`${platform.dataDir}/first-run-link`, 'utf8')).trim()
    await browser.open(link)
    expect(browser.page).toContain('Become the owner')
    await browser.submit('/first-run', { email: 'owner@example.com', password: 'password1' })
    expect([browser.status, browser.page.includes('common or leaked')]).toEqual([422, true])
    await browser.submit('/first-run', { email: 'owner@example.com', password })
    expect(browser.page).toContain('Signed in as <strong>owner@example.com</strong>')
    await browser.submit('/sign-out', {})
    expect(browser.page).toContain('<h1>Sign in</h1>')
    await browser.submit('/sign-in', { email: 'owner@example.com', password: 'not this one' })
    expect([browser.status, browser.page.includes('address or the password is wrong')]).toEqual([400, true])
    await browser.submit('/sign-in', { email: 'owner@example.com', password })
    expect(browser.page).toContain('Signed in as')
    await browser.open(link)
    expect([browser.status, browser.page.includes('already used')]).toEqual([403, true])
  })

  test('leaves a row in the audit log for each page opened while signed in, and none before', async () => {
    const { email, userId } = await createPerson(platform)
    const browser = createBrowser(platform.url)
    await browser.open('/sign-in')
    await browser.submit('/sign-in/email', { email })
    await browser.submit('/sign-in/code', { code: (await client.readMail(email)).code })
    await browser.open('/oauth/consent?request_id=a-capability')
    const rows = () => platform.database.sql`
      select action, http_status, user_agent, metadata from svc.audit_events
      where actor_user_id = ${userId} and metadata ? 'path' order by occurred_at`
    const seen = await vi.waitFor(async () => {
      const found = await rows()
      expect(found.map((row) => row.action)).toContain('GET /oauth/consent')
      return found
    }, 60_000)
    expect(seen.map((row) => row.action)).not.toContain('POST /sign-in/code')
    expect(JSON.stringify(seen)).not.toContain('a-capability')
  })

  test('signs in by a mailed code, or by the link in the same kind of mail', async () => {
    const { email } = await createPerson(platform)
    const browser = createBrowser(platform.url)
    await browser.open('/sign-in')
    await browser.submit('/sign-in/email', { email })
    const first = await client.readMail(email)
    await browser.submit('/sign-in/code', { code: first.code === '000000' ? '000001' : '000000' })
    expect([browser.status, browser.page.includes('wrong, expired or already used')]).toEqual([403, true])
    await browser.submit('/sign-in/code', { code: first.code })
    expect(browser.page).toContain(`Signed in as <strong>${email}</strong>`)

    const other = createBrowser(platform.url)
    await other.open('/sign-in')
    await other.submit('/sign-in/email', { email })
    const { link } = await client.readMail(email, 60_000, first.mailId)
    await other.open(link)
    await other.open(link)
    expect(other.page).toContain(email)
    await other.submit('/sign-in/link', {})
    expect(other.page).toContain('Signed in as')
    await other.open(link)
    expect(other.status).toBe(403)
  })

  test('resets a forgotten password', async () => {
    const { email } = await createPerson(platform)
    const browser = createBrowser(platform.url)
    await browser.open('/password/reset')
    await browser.submit('/password/reset', { email })
    const { link } = await client.readMail(email)
    await browser.open(link)
    await browser.submit('/password/new', { password })
    expect(browser.page).toContain('Signed in as')
    await createPerson(platform)
    const answer = await client.post('/v1/auth/sign-in/password', { email, password }, undefined, client.newIp())
    expect(answer.status).toBe(200)
  })

  test('signs up, confirms by the mailed link, and goes on to where they wanted', async () => {
    await client.settings({ sign_up: 'open', email_confirmation: 'on' })
    const browser = createBrowser(platform.url)
    await browser.open('/sign-up?next=/docs')
    await browser.submit('/sign-up', { email: 'new@example.com', password })
    const { code, link } = await client.readMail('new@example.com')
    expect(link).toContain('/sign-up/confirm?token=')
    await browser.submit('/sign-up/confirm', { code })
    expect(browser.url).toBe(`${platform.url}/docs`)
  })

  test('a link that an app asked for leads on to the app, which turns it into a session itself', async () => {
    const app = 'https://app.example.com/welcome'
    await client.settings({ redirect_allow_list: [app] })
    const { email } = await createPerson(platform)
    await client.post('/v1/auth/sign-in/magic-link', { email, redirect_to: app }, undefined, client.newIp())
    const { link } = await client.readMail(email)
    const browser = createBrowser(platform.url)
    await browser.open(link)
    const target = /href="(https:\/\/app[^"]+)"/.exec(browser.page)?.[1]?.replaceAll('&amp;', '&') ?? ''
    const { searchParams } = new URL(target)
    const proof = { email: searchParams.get('email'), token: searchParams.get('token'), type: searchParams.get('type') }
    const answer = await client.post('/v1/auth/verify-otp', proof, undefined, client.newIp())
    expect(answer.status).toBe(200)
  })

  test('comes in also when the place to go on to cannot stand in a header', async () => {
    const { email } = await createPerson(platform)
    const browser = createBrowser(platform.url)
    await browser.open(`/sign-in?next=${encodeURIComponent('/日本')}`)
    await browser.submit('/sign-in/email', { email })
    await browser.submit('/sign-in/code', { code: (await client.readMail(email)).code })
    expect(browser.page).toContain('Signed in as')
  })

  test('an invitation and a consent ask to sign in first', async () => {
    const browser = createBrowser(platform.url)
    await browser.open('/invite/0190a1b2-0000-7000-8000-000000000000')
    expect(browser.page).toContain('/sign-in?next=%2Finvite%2F0190a1b2-0000-7000-8000-000000000000')
    await browser.open('/oauth/consent?request_id=abc')
    expect(browser.page).toContain('Sign in to go on')
  })
})

describe('the pages are closed to others', () => {
  test('no script, no framing, one stylesheet of our own, cookies for this origin only', async () => {
    const response = await fetch(`${platform.url}/sign-in`)
    const policy = response.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toContain('script-src')
    expect(policy).toContain("frame-ancestors 'none'")
    expect(response.headers.get('access-control-allow-origin')).toBeNull()
    const cookie = response.headers.get('set-cookie') ?? ''
    for (const part of ['HttpOnly', 'SameSite=Lax', 'Path=/']) expect(cookie).toContain(part)
    expect(await response.text()).not.toMatch(/<script|\sstyle=|\son\w+=/)
    expect((await fetch(`${platform.url}/pages.css`)).headers.get('content-type')).toContain('text/css')
  })

  test('a form from another site, without its token or with a stranger’s, is refused', async () => {
    const { email } = await createPerson(platform)
    const browser = createBrowser(platform.url)
    const stranger = createBrowser(platform.url)
    await browser.open('/sign-in')
    await stranger.open('/sign-in')
    const attempts = [
      { csrf: '' },
      { csrf: stranger.csrf },
      { csrf: browser.csrf, origin: 'https://evil.example' },
      { csrf: browser.csrf, site: 'cross-site' },
      { csrf: browser.csrf, site: 'same-site' },
    ]
    for (const { csrf, origin, site } of attempts) {
      const status = await browser.post('/sign-in/email', { email, csrf }, { origin, site })
      expect([csrf === browser.csrf, origin, site, status]).toEqual([csrf === browser.csrf, origin, site, 403])
    }
  })

  test('the cookie of a page opens no API route, and its token is no bearer', async () => {
    const { email } = await createPerson(platform)
    const browser = createBrowser(platform.url)
    await browser.open('/sign-in')
    await browser.submit('/sign-in/email', { email })
    await browser.submit('/sign-in/code', { code: (await client.readMail(email)).code })
    const token = browser.cookie('svc_page') ?? ''
    expect(token).not.toBe('')
    const headers = { cookie: `svc_page=${token}` }
    expect((await fetch(`${platform.url}/v1/auth/user`, { headers })).status).toBe(401)
    expect((await client.get('/v1/auth/user', token)).status).toBe(401)
  })

  test('the dashboard’s script gets a token for minutes, other origins get none, and signing out ends it', async () => {
    const { email } = await createPerson(platform)
    const browser = createBrowser(platform.url)
    await browser.open('/sign-in')
    await browser.submit('/sign-in/email', { email })
    await browser.submit('/sign-in/code', { code: (await client.readMail(email)).code })
    const cookie = `svc_page=${browser.cookie('svc_page')}`
    const ask = (headers: Record<string, string>) =>
      fetch(`${platform.url}/session/access`, { method: 'POST', headers })
    expect((await ask({ cookie })).status).toBe(403)
    expect((await ask({ cookie, 'x-svc-client': 'web', origin: 'http://evil.example' })).status).toBe(403)
    expect((await ask({ cookie, 'x-svc-client': 'web', 'sec-fetch-site': 'same-site' })).status).toBe(403)
    expect((await ask({ 'x-svc-client': 'web' })).status).toBe(401)
    const { access_token } = (await (await ask({ cookie, 'x-svc-client': 'web' })).json()) as { access_token: string }
    expect((await client.get('/v1/auth/user', access_token)).status).toBe(200)
    await browser.open('/sign-in')
    await browser.submit('/sign-out', {})
    await expect.poll(async () => (await client.get('/v1/auth/user', access_token)).status).toBe(401)
  })

  test('what was typed comes back escaped', async () => {
    const browser = createBrowser(platform.url)
    await browser.open('/sign-in?next="><script>alert(1)</script>')
    await browser.submit('/sign-in', { email: '"><img src=x onerror=alert(1)>', password: 'x' })
    expect(browser.page).not.toMatch(/<script|<img/)
  })

  test.each([
    '//evil.example',
    '/\\evil.example',
    'https://evil.example',
    '/\t/evil.example',
    'javascript:alert(1)',
    '',
    '/ x',
  ])('after signing in nobody is sent to %j', (next) => expect(safePath(next, '/home')).toBe('/home'))
})

describe('the local mailbox', () => {
  let local: Awaited<ReturnType<typeof startTestPlatform>>
  beforeAll(async () => {
    local = await startTestPlatform()
  })
  afterAll(() => local.stop())
  const status = (headers: Record<string, string>) =>
    new Promise<number | undefined>((resolve, reject) => {
      const { hostname, port } = new URL(local.url)
      request({ hostname, port, path: '/dev/mailbox', headers }, (response) => {
        response.resume()
        resolve(response.statusCode)
      })
        .on('error', reject)
        .end()
    })

  test('shows mail as a page and as JSON, at this machine', async () => {
    expect(await status({ host: 'localhost' })).toBe(200)
    const page = await (await fetch(`${local.url}/dev/mailbox`)).text()
    expect(page).toContain('Local mailbox')
    const json = await fetch(`${local.url}/dev/mailbox`, { headers: { accept: 'application/json' } })
    expect(await json.json()).toMatchObject({ mails: expect.any(Array) })
  })

  test.each([
    [{ host: '203.0.113.5' }],
    [{ host: 'localhost', 'x-forwarded-for': '127.0.0.1' }],
    [{ host: 'localhost', 'x-forwarded-host': 'localhost' }],
    [{ host: 'localhost', forwarded: 'for=127.0.0.1' }],
    [{ host: 'localhost', via: '1.1 proxy' }],
  ])('answers 404 with %j', async (headers) => expect(await status(headers)).toBe(404))

  test.each([
    ['is open to the network', { HOST: '0.0.0.0' }],
    ['has a public address', { SVC_PUBLIC_URL: 'https://svc.example.com', SVC_ALLOWED_HOSTS: '127.0.0.1' }],
    ['stands behind a proxy', { SVC_TRUSTED_PROXIES: '127.0.0.1' }],
  ])('answers 404 when the server %s', async (_, env) => {
    const port = await findFreePort()
    const open = await startTestPlatform({ PORT: String(port), ...env })
    expect((await fetch(`http://127.0.0.1:${port}/dev/mailbox`)).status).toBe(404)
    await open.stop()
  })
})

async function findFreePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' && address ? address.port : 0
}
