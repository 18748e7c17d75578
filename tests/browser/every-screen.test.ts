import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readDashboard } from '../../apps/server/src/web/read-dashboard.ts'
import { startTestPlatform } from '../support/platform.ts'
import { keepPicture, runChecks } from './check-page.ts'
import { createCalls, openFirstRun, script, signIn } from './claim-instance.ts'
import { listRoutes } from './list-routes.ts'
import { measurePage, watchPages } from './measure-page.ts'
import { findBrowser, openBrowser } from './open-browser.ts'

const browserPath = findBrowser()
const isReady = browserPath !== undefined && readDashboard() !== undefined
if (!isReady) console.log('Skipped every screen in a browser: no Chromium, or the dashboard is not built.')

const patientMs = 120_000
const mostShift = 0.1
const wide = { width: 1440, height: 900 }
const phone = { width: 390, height: 844 }
/** What another theme can change. */
const contrast = ['color-contrast']
const isLong = process.env.SVC_TEST_LONG === '1'
/** Each width and each theme once; every width in every theme when there is time. */
const ways = [
  { size: 'wide', viewport: wide, colorScheme: 'light', rules: undefined },
  ...(isLong ? [{ size: 'wide', viewport: wide, colorScheme: 'dark', rules: contrast } as const] : []),
  ...(isLong ? [{ size: 'phone', viewport: phone, colorScheme: 'light', rules: contrast } as const] : []),
  { size: 'phone', viewport: phone, colorScheme: 'dark', rules: undefined },
] as const

describe.skipIf(!isReady)('every screen, wide and narrow, light and dark', () => {
  let platform: Awaited<ReturnType<typeof startTestPlatform>>
  let browser: Browser
  let page: Page
  const params = new Map<string, string>()
  const broken: string[] = []

  beforeAll(async () => {
    platform = await startTestPlatform()
    browser = await openBrowser(browserPath ?? '')
    page = await browser.newPage({ viewport: wide, reducedMotion: 'reduce' })
    page.setDefaultTimeout(patientMs)
    page.on('pageerror', (error) => broken.push(error.message))
    page.on('console', (message) => {
      if (/Content Security Policy/.test(message.text())) broken.push(message.text())
    })
    await watchPages(page.context())
    await openFirstRun(page, platform)
    await signIn(page)
    for (const [name, value] of await fillProject(page, platform.url)) params.set(name, value)
  }, 2 * patientMs)
  afterAll(async () => {
    await browser?.close()
    await platform?.stop()
  }, patientMs)

  /** Looks at one address in every way; everything that is wrong with it. */
  const look = async (address: string, name: string): Promise<string[]> => {
    const found: string[] = []
    await page.emulateMedia({ colorScheme: 'light' })
    await page.setViewportSize(wide)
    await page.goto(`${platform.url}${address}`)
    await page.getByRole('heading', { level: 1 }).first().waitFor()
    await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' })
    const alerts = await page.getByRole('alert').allTextContents()
    found.push(...alerts.map((alert) => `${name}: ${alert}`))
    const { shift } = await measurePage(page)
    if (shift > mostShift) found.push(`${name}: moved by ${shift.toFixed(3)} while it was loading`)
    for (const { size, viewport, colorScheme, rules } of ways) {
      await page.setViewportSize(viewport)
      await page.emulateMedia({ colorScheme })
      found.push(...(await runChecks(page, `${name}-${size}-${colorScheme}`, rules)))
      const past = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
      if (past > 0) found.push(`${name}: ${past} px wider than the ${size} screen`)
      if (viewport === wide && colorScheme === 'light') await keepPicture(page, `${name}-wide-light`)
    }
    await keepPicture(page, `${name}-phone-dark`)
    return found
  }

  test.each(groupRoutes())(
    '“%s”: every route of the router shows itself, axe finds nothing serious, nothing moves or is too wide, nothing failed',
    async (_section, routes) => {
      const found: string[] = []
      for (const route of routes) {
        const address = route.replaceAll(/\$(\w+)/g, (_whole, name: string) => {
          const value = params.get(name)
          if (value === undefined) throw new Error(`${route}: say in fillProject() what $${name} is.`)
          return value
        })
        found.push(...(await look(address, `screen${route.replaceAll(/[/$]+/g, '-')}`)))
      }
      expect(found).toEqual([])
      expect(broken).toEqual([])
    },
    2 * patientMs,
  )

  test(
    'a command line gets a token of yours when you allow it, and not before',
    async () => {
      const given: string[] = []
      const waiting = await waitForToken(given)
      const callback = encodeURIComponent(waiting.callback)
      await page.goto(`${platform.url}/cli/authorize?callback=${callback}&state=0123456789&label=laptop`)
      await page.getByRole('button', { name: 'Allow', exact: true }).waitFor()
      expect(given).toEqual([])
      await page.getByRole('button', { name: 'Allow', exact: true }).click()
      await page.getByRole('heading', { name: 'The command line is signed in' }).waitFor()
      await waiting.close()
      expect(given.map((sent) => JSON.parse(sent))).toEqual([
        { state: '0123456789', token: expect.stringMatching(/^svc_pat_/) },
      ])
    },
    patientMs,
  )

  test(
    'so do the plain pages, signed in and not',
    async () => {
      const asked = 'callback=http%3A%2F%2F127.0.0.1%3A9%2Fcallback&state=s&label=laptop'
      const found = [
        ...(await look(`/cli/authorize?${asked}`, 'page-cli-authorize')),
        ...(await look('/projects/nothing-here/at/all', 'page-not-found')),
      ]
      await page.context().clearCookies()
      for (const address of ['/sign-in', '/sign-up', '/password/reset', '/first-run', '/oauth/consent']) {
        found.push(...(await look(address, `page${address.replaceAll('/', '-')}`)))
      }
      expect(found).toEqual([])
    },
    patientMs,
  )
})

/** Routes by section, so that what fails is named and nothing waits for all the others. */
function groupRoutes(): [section: string, routes: string[]][] {
  const groups = new Map<string, string[]>()
  for (const route of listRoutes()) {
    const section = route.split('/')[route.startsWith('/projects/$') ? 3 : 1] || 'home'
    groups.set(section, [...(groups.get(section) ?? []), route])
  }
  return [...groups]
}

/** What a command line does: it waits at a port of the machine and lets the dashboard's page write to it. */
async function waitForToken(given: string[]) {
  const server = createServer(async (request, response) => {
    response.setHeader('access-control-allow-origin', request.headers.origin ?? '')
    response.setHeader('access-control-allow-headers', 'content-type')
    if (request.method === 'POST') given.push(await text(request))
    response.end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return { callback: `http://127.0.0.1:${port}/callback`, close }
}

/** A project with something on every screen: what stands in the addresses of the router, by name. */
async function fillProject(page: Page, url: string): Promise<Map<string, string>> {
  const call = await createCalls(page, url)
  const project = await call('/projects/provision', { name: 'Every screen' })
  const projectId = String(project.project_id)
  const base = `/projects/${projectId}`
  const prompt = script('write hello.sh: echo "Hello"\\n', 'run sh hello.sh', 'finish The file **hello.sh** is there.')
  const session = await call(`${base}/sessions`, { pending_prompt: { text: prompt } })
  const sessionId = String(session.session_id)
  await call(`${base}/secrets`, { name: 'API_KEY', value: 'not a real one' })
  await call(`${base}/gateway/keys`, { name: 'nightly' })
  await call(`/accounts/${project.account_id}/members`, { email: 'new@example.com', role: 'member' })
  await page.goto(`${url}${base}/sessions/${sessionId}`)
  await page.locator('article strong', { hasText: 'hello.sh' }).waitFor()
  await page.getByRole('button', { name: 'Propose changes' }).click()
  await page.waitForURL(/change-requests\/[^/]+$/)
  const crId = page.url().split('/').at(-1) ?? ''
  await page.goto(`${url}${base}/history`)
  await page.locator(`a[href*="/history/"]`).first().waitFor()
  const sha = (await page.locator('a[href*="/history/"]').first().getAttribute('href'))?.split('/').at(-1) ?? ''
  const found = { projectId, sessionId, crId, sha, accountId: String(project.account_id) }
  return new Map(Object.entries(found))
}
