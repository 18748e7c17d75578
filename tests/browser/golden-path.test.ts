import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readDashboard } from '../../apps/server/src/web/read-dashboard.ts'
import { startTestPlatform } from '../support/platform.ts'
import { checkPage } from './check-page.ts'
import { openFirstRun, owner, script } from './claim-instance.ts'
import { keepImage } from './keep-image.ts'
import { readFigures, watchPages } from './measure-page.ts'
import { findBrowser, openBrowser } from './open-browser.ts'
import { goTo, pressOn, tabTo, typeInto } from './use-keyboard.ts'

const browserPath = findBrowser()
const isReady = browserPath !== undefined && readDashboard() !== undefined
if (!isReady) {
  const missing = browserPath === undefined ? 'Chromium (or set SVC_CHROMIUM)' : 'the built dashboard (npm run build)'
  console.log(`Skipped the dashboard in a browser: this machine lacks ${missing}.`)
}

const request = script(
  'say I am the scripted model.',
  'look .',
  'write hello.sh: echo "Hello from an agent"\\n',
  'run sh hello.sh',
  'finish The file **hello.sh** is written, and it ran.',
).replace('Please.', 'Write a script that says hello, and run it.')
const patientMs = 120_000
const mostScriptBytes = 200_000
const mostShift = 0.1

describe.skipIf(!isReady)('the golden path in a real browser, by keyboard alone', () => {
  let platform: Awaited<ReturnType<typeof startTestPlatform>>
  let browser: Browser
  let page: Page
  const found: string[] = []
  const broken: string[] = []
  const check = async (name: string) => found.push(...(await checkPage(page, name)))
  const button = (name: string) => page.getByRole('button', { name, exact: true })

  beforeAll(async () => {
    platform = await startTestPlatform()
    browser = await openBrowser(browserPath ?? '')
    page = await browser.newPage({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' })
    page.setDefaultTimeout(patientMs)
    await watchPages(page.context())
    page.on('pageerror', (error) => broken.push(error.message))
    page.on('console', (message) => {
      if (/Content Security Policy/.test(message.text())) broken.push(message.text())
    })
    // A mouse is a mistake here: whatever needs one fails.
    await page.context().addInitScript('addEventListener("pointerdown", () => { throw new Error("a mouse was used") })')
  }, patientMs)
  afterAll(async () => {
    await browser?.close()
    await platform?.stop()
  }, patientMs)

  test(
    'the first person claims the instance and arrives at an empty list of projects',
    async () => {
      await openFirstRun(page, platform)
      await check('01-first-run')
      await typeInto(page, page.getByLabel('Mail address').first(), owner.email)
      await typeInto(page, page.getByLabel('Password'), owner.password)
      // The form answers with the way to another page: going elsewhere before that opened would be undone by it.
      const arrived = page.waitForEvent('framenavigated')
      await page.keyboard.press('Enter')
      await arrived
      await page.waitForLoadState()
      await page.goto(platform.url)
      await page.getByText('No projects yet').waitFor()
      const { shift, scriptBytes } = await readFigures(page, 'The list of projects')
      expect(shift).toBeLessThanOrEqual(mostShift)
      expect(scriptBytes).toBeGreaterThan(0)
      expect(scriptBytes).toBeLessThanOrEqual(mostScriptBytes)
      await check('02-projects-empty')
    },
    patientMs,
  )

  test(
    'a project is created, is in the list, and the palette leads to it and to its sections',
    async () => {
      await pressOn(page, button('New project').first())
      await typeInto(page, page.getByRole('dialog').getByLabel('Name'), 'Golden path')
      await check('03-create-project')
      await pressOn(page, button('Create'))
      await page.waitForURL(/\/projects\/[0-9a-f-]{36}/)
      await page.getByRole('heading', { name: 'Golden path' }).waitFor()
      await check('04-project-home')
      await goTo(page, 'Projects')
      await page.getByRole('link', { name: /Golden path/ }).waitFor()
      await keepImage(page, 'projects')
      await goTo(page, 'Golden')
      await page.getByRole('heading', { name: 'Golden path' }).waitFor()
      await goTo(page, 'Sessions')
      await page.getByRole('heading', { name: 'Sessions', exact: true }).waitFor()
    },
    patientMs,
  )

  test(
    'an agent answers, its work is proposed, and the change is merged',
    async () => {
      await typeInto(page, page.getByLabel('What should be done?'), request)
      await pressOn(page, button('Start'))
      await page.waitForURL(/sessions\/[^/]+$/)
      await page.locator('article strong', { hasText: 'hello.sh' }).waitFor()
      await button('Stop').waitFor({ state: 'detached' })
      expect((await readFigures(page, 'A session')).shift).toBeLessThanOrEqual(mostShift)
      await check('06-session')
      await keepImage(page, 'session')
      await pressOn(page, button('Propose changes'))
      await page.waitForURL(/change-requests\/[^/]+$/)
      await page.getByText('Merges without conflicts.').waitFor()
      await page.getByText('echo "Hello from an agent"').waitFor()
      expect((await readFigures(page, 'Its change request')).shift).toBeLessThanOrEqual(mostShift)
      await check('07-change-request')
      await keepImage(page, 'change-request')
      await pressOn(page, button('Merge'))
      await page.getByText('merged', { exact: true }).waitFor()
      await check('08-merged')
      await goTo(page, 'Files')
      await pressOn(page, page.getByRole('link', { name: 'hello.sh' }))
      await page.getByText('echo "Hello from an agent"').waitFor()
      await check('09-file')
    },
    2 * patientMs,
  )

  test(
    'signing out ends the session: the next screen is the sign-in page',
    async () => {
      await tabTo(page, page.getByRole('banner').getByRole('button').last())
      await page.keyboard.press('Enter')
      await page.getByRole('menuitem', { name: 'Sign out' }).waitFor()
      await page.keyboard.press('End')
      await page.keyboard.press('Enter')
      await page.waitForURL(/sign-in/)
      await page.goto(`${platform.url}/projects`)
      await page.waitForURL(/sign-in\?next=/)
      await page.getByRole('heading', { name: 'Sign in' }).waitFor()
      await check('11-sign-in')
    },
    patientMs,
  )

  test('axe found nothing serious or critical on the way, and no script failed', () => {
    expect(found).toEqual([])
    expect(broken).toEqual([])
  })
})
