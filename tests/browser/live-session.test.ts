import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readDashboard } from '../../apps/server/src/web/read-dashboard.ts'
import { hostilePayloads } from '../../apps/web/src/markdown/hostile-payloads.ts'
import { startTestPlatform } from '../support/platform.ts'
import { createCalls, openFirstRun, script, signIn } from './claim-instance.ts'
import { findBrowser, openBrowser } from './open-browser.ts'

const browserPath = findBrowser()
const isReady = browserPath !== undefined && readDashboard() !== undefined
if (!isReady) console.log('Skipped live sessions in a browser: no Chromium, or the dashboard is not built.')

const patientMs = 120_000

describe.skipIf(!isReady)('a session in a real browser', () => {
  let platform: Awaited<ReturnType<typeof startTestPlatform>>
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let project = ''
  let call: Awaited<ReturnType<typeof createCalls>>
  const ran: string[] = []

  beforeAll(async () => {
    platform = await startTestPlatform()
    browser = await openBrowser(browserPath ?? '')
    context = await browser.newContext()
    context.setDefaultTimeout(patientMs)
    // The canaries: a dialog means that a script ran, a request to the stranger that something was fetched or sent.
    context.on('dialog', (dialog) => {
      ran.push(`dialog ${dialog.message()}`)
      void dialog.dismiss()
    })
    context.on('request', (request) => {
      if (/evil\.example/.test(request.url())) ran.push(`request ${request.url()}`)
    })
    page = await context.newPage()
    await openFirstRun(page, platform)
    await signIn(page)
    call = await createCalls(page, platform.url)
    project = String((await call('/projects/provision', { name: 'Live' })).project_id)
  }, 2 * patientMs)
  afterAll(async () => {
    await browser?.close()
    await platform?.stop()
  }, patientMs)

  const startSession = async (...lines: string[]): Promise<string> => {
    const made = await call(`/projects/${project}/sessions`, { pending_prompt: { text: script(...lines) } })
    return `${platform.url}/projects/${project}/sessions/${String(made.session_id)}`
  }

  test(
    'two windows on one session see the same answer as it comes',
    async () => {
      const session = await startSession('wait 2s', 'finish Both windows see **this**.')
      const other = await context.newPage()
      await Promise.all([page.goto(session), other.goto(session)])
      await page.locator('article strong', { hasText: 'this' }).waitFor()
      await other.locator('article strong', { hasText: 'this' }).waitFor()
      await other.close()
    },
    patientMs,
  )

  test(
    'an answer that came while the browser was offline is there, once, when it is back',
    async () => {
      const session = await startSession('say I begin.', 'wait 6s', 'finish I end **here**.')
      await page.goto(session)
      await page.locator('article p', { hasText: /^I begin\./ }).waitFor()
      await context.setOffline(true)
      await new Promise((resolve) => setTimeout(resolve, 7_000))
      await context.setOffline(false)
      await page.locator('article strong', { hasText: 'here' }).waitFor()
      expect(await page.locator('article strong', { hasText: 'here' }).count()).toBe(1)
    },
    patientMs,
  )

  test(
    'whoever is no longer signed in signs in again and comes back to where they were',
    async () => {
      const place = `${platform.url}/projects/${project}/files`
      await context.clearCookies()
      await page.goto(place)
      await page.waitForURL(/\/sign-in\?next=/)
      await signIn(page)
      await page.getByRole('heading', { name: 'Files' }).waitFor()
      expect(page.url()).toBe(place)
      call = await createCalls(page, platform.url)
    },
    patientMs,
  )

  test(
    'hostile text in a conversation, a diff and a file runs nothing and fetches nothing',
    async () => {
      const text = hostilePayloads.join('\n\n').replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
      const session = await startSession(`write evil.md: ${text}\\n`, `finish ${text}`)
      await page.goto(session)
      await page.getByText('write evil.md', { exact: true }).waitFor()
      await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' })
      await page.getByRole('button', { name: 'Propose changes' }).click()
      await page.waitForURL(/change-requests\/[^/]+$/)
      await page.getByRole('heading', { name: 'evil.md' }).waitFor()
      await page.getByRole('button', { name: 'Merge', exact: true }).click()
      await page.getByText('merged', { exact: true }).waitFor()
      await page.goto(`${platform.url}/projects/${project}/files?file=evil.md`)
      await page.locator('article').waitFor()
      const foreign =
        'article script, article iframe, article img, article svg, article form, article style, article object'
      expect(await page.locator(foreign).count()).toBe(0)
      expect(
        await page.evaluate<string>('JSON.stringify(localStorage) + JSON.stringify(sessionStorage) + document.cookie'),
      ).not.toMatch(/svc_[a-z]+_|access_token/)
      expect(ran).toEqual([])
    },
    2 * patientMs,
  )
})
