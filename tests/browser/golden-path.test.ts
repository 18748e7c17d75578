import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readDashboard } from '../../apps/server/src/web/read-dashboard.ts'
import { startTestPlatform } from '../support/platform.ts'
import { checkPage } from './check-page.ts'
import { openFirstRun, script, signIn } from './claim-instance.ts'
import { readFigures, watchPages } from './measure-page.ts'
import { findBrowser, openBrowser } from './open-browser.ts'

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
)
const patientMs = 120_000

describe.skipIf(!isReady)('the dashboard in a real browser', () => {
  let platform: Awaited<ReturnType<typeof startTestPlatform>>
  let browser: Browser
  let page: Page
  let project = ''
  const found: string[] = []
  const broken: string[] = []
  const check = async (name: string) => found.push(...(await checkPage(page, name)))

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
      await signIn(page)
      await page.goto(platform.url)
      await page.getByRole('heading', { name: 'Projects', exact: true }).waitFor()
      await page.getByText('No projects yet').waitFor()
      await check('02-projects-empty')
    },
    patientMs,
  )

  test(
    'a project is created and shows its agents',
    async () => {
      await page.getByRole('button', { name: 'New project' }).first().click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Name').fill('Golden path')
      await check('03-create-project')
      await dialog.getByRole('button', { name: /create/i }).click()
      await page.waitForURL(/\/projects\/[0-9a-f-]{36}/)
      project = page.url().replace(/\/$/, '')
      await page.getByRole('heading', { name: 'Golden path' }).waitFor()
      await check('04-project-home')
      await page.goto(`${platform.url}/projects`)
      await page.getByRole('link', { name: /Golden path/ }).waitFor()
      const { shift } = await readFigures(page, 'The list of projects')
      expect(shift).toBeLessThanOrEqual(0.1)
    },
    patientMs,
  )

  test(
    'every section of a project, the account, the profile and the operator open without a problem',
    async () => {
      const { origin } = new URL(project)
      const account = await readAccountId(page)
      const sections = [
        'sessions',
        'change-requests',
        'files',
        'history',
        'agents',
        'models',
        'secrets',
        'access',
        'settings',
      ]
      const places = [
        ...sections.map((name) => `${project}/${name}`),
        `${origin}/profile`,
        ...['', '/tokens', '/branding', '/audit'].map((name) => `${origin}/accounts/${account}${name}`),
        ...['', '/jobs', '/people', '/settings', '/mail'].map((name) => `${origin}/operator${name}`),
      ]
      for (const [index, place] of places.entries()) {
        await page.goto(place)
        await page.getByRole('heading', { level: 1 }).waitFor()
        await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' })
        const name = place
          .slice(origin.length + 1)
          .replace(/[0-9a-f-]{36}\/?/, '')
          .replaceAll('/', '-')
        await check(`05-${String(index).padStart(2, '0')}-${name}`)
        expect(await page.getByRole('alert').allTextContents(), place).toEqual([])
      }
    },
    patientMs,
  )

  test(
    'an agent answers, its work is proposed, and the change is merged',
    async () => {
      await page.goto(`${project}/sessions`)
      await page.getByLabel('What should be done?').fill(request)
      await page.getByRole('button', { name: 'Start' }).click()
      await page.waitForURL(/sessions\/[^/]+$/)
      await page.locator('article strong', { hasText: 'hello.sh' }).waitFor()
      await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' })
      await check('06-session')
      await page.getByRole('button', { name: 'Propose changes' }).click()
      await page.waitForURL(/change-requests\/[^/]+$/)
      await page.getByText('Merges without conflicts.').waitFor()
      await page.getByText('echo "Hello from an agent"').waitFor()
      await check('07-change-request')
      await page.getByRole('button', { name: 'Merge', exact: true }).click()
      await page.getByText('merged', { exact: true }).waitFor()
      await check('08-merged')
      await page.goto(`${project}/files`)
      await page.getByRole('link', { name: 'hello.sh' }).click()
      await page.getByText('echo "Hello from an agent"').waitFor()
      await check('09-file')
    },
    2 * patientMs,
  )

  test(
    'on a phone in the dark nothing is wider than the screen',
    async () => {
      await page.setViewportSize({ width: 390, height: 844 })
      await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
      for (const name of ['', '/sessions', '/files', '/agents', '/secrets', '/access', '/settings']) {
        await page.goto(`${project}${name}`)
        await page.getByRole('heading', { level: 1 }).waitFor()
        await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' })
        await check(`10-phone-dark${name.replace('/', '-')}`)
        const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
        expect(overflow, name).toBeLessThanOrEqual(0)
      }
      await page.setViewportSize({ width: 1280, height: 800 })
    },
    patientMs,
  )

  test(
    'signing out ends the session: the next screen is the sign-in page',
    async () => {
      await page.goto(`${platform.url}/projects`)
      await page.getByRole('heading', { name: 'Projects', exact: true }).waitFor()
      await page.getByRole('banner').getByRole('button').last().click()
      await page.getByRole('menuitem', { name: 'Sign out' }).click()
      await page.waitForURL(/sign-in/)
      await page.goto(`${platform.url}/projects`)
      await page.waitForURL(/sign-in\?next=/)
      await page.getByRole('heading', { name: 'Sign in' }).waitFor()
      await check('11-sign-in')
    },
    patientMs,
  )

  test('axe found nothing serious or critical on any screen, and no script failed', () => {
    expect(found).toEqual([])
    expect(broken).toEqual([])
  })
})

/** By the menu, as a person would. */
async function readAccountId(page: Page): Promise<string> {
  await page.getByRole('banner').getByRole('button').last().click()
  await page.getByRole('menuitem', { name: 'Account settings' }).click()
  await page.waitForURL(/\/accounts\//)
  return new URL(page.url()).pathname.split('/')[2] ?? ''
}
