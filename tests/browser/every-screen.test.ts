import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import type { SvcClient } from '@svc/sdk'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readDashboard } from '../../apps/server/src/web/read-dashboard.ts'
import { startTestPlatform } from '../support/platform.ts'
import { keepMorePictures, runChecks } from './check-page.ts'
import { createClient, openFirstRun, script, signIn } from './claim-instance.ts'
import { listRoutes } from './list-routes.ts'
import { measurePage, watchPages } from './measure-page.ts'
import { findBrowser, openBrowser } from './open-browser.ts'
import { openConflict } from './open-conflict.ts'
import { pricedModels, serveModels } from './serve-models.ts'

const browserPath = findBrowser()
const isReady = browserPath !== undefined && readDashboard() !== undefined
if (!isReady) console.log('Skipped every screen in a browser: no Chromium, or the dashboard is not built.')

const patientMs = 120_000
const mostShift = 0.1
const wide = { width: 1440, height: 900 }
const phone = { width: 390, height: 844 }
/** What another theme can change, and what another width can. */
const contrast = ['color-contrast']
const layout = [...contrast, 'scrollable-region-focusable', 'target-size', 'nested-interactive', 'aria-hidden-focus']
const isLong = process.env.SVC_TEST_LONG === '1'
/** Each width and each theme once; every width in every theme when there is time. */
const ways = [
  { size: 'wide', viewport: wide, colorScheme: 'light', rules: undefined },
  ...(isLong ? [{ size: 'wide', viewport: wide, colorScheme: 'dark', rules: contrast } as const] : []),
  ...(isLong ? [{ size: 'phone', viewport: phone, colorScheme: 'light', rules: contrast } as const] : []),
  { size: 'phone', viewport: phone, colorScheme: 'dark', rules: isLong ? undefined : layout },
] as const

describe.skipIf(!isReady)('every screen, wide and narrow, light and dark', () => {
  let platform: Awaited<ReturnType<typeof startTestPlatform>>
  let models: Awaited<ReturnType<typeof serveModels>>
  let browser: Browser
  let page: Page
  let filled: Awaited<ReturnType<typeof fillProject>>
  const broken: string[] = []

  beforeAll(async () => {
    models = await serveModels()
    platform = await startTestPlatform(models.env)
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
    filled = await fillProject(createClient(page, platform.url).svc)
  }, 2 * patientMs)
  afterAll(async () => {
    await browser?.close()
    await platform?.stop()
    await models?.stop()
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
      await keepMorePictures(page, `${name}-${size}-${colorScheme}`)
    }
    return found
  }

  test.each(groupRoutes())(
    '“%s”: every route of the router shows itself, axe finds nothing serious, nothing moves or is too wide, nothing failed',
    async (_section, routes) => {
      const found: string[] = []
      const params: Record<string, string> = isEarly(routes)
        ? filled.known
        : { ...filled.known, ...(await filled.made) }
      for (const route of routes) {
        const address = route.replaceAll(/\$(\w+)/g, (_whole, name: string) => {
          const value = params[name]
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
    'several models answer one question side by side, and each says what it took',
    async () => {
      const found: string[] = []
      const asked = ['scripted', ...pricedModels]
      await page.setViewportSize(wide)
      await page.emulateMedia({ colorScheme: 'light' })
      await page.goto(`${platform.url}/projects/${filled.known.projectId}/models/playground`)
      for (const name of asked) await page.getByRole('checkbox', { name }).check()
      await page.getByLabel('Prompt').fill(script('finish It is **42**, as everybody knows.'))
      await page.getByRole('button', { name: 'Ask 3 models' }).click()
      for (const name of asked) {
        const column = page.getByRole('article', { name })
        await column.locator('strong', { hasText: '42' }).waitFor()
        await column.getByText(/ tokens in, /).waitFor()
      }
      for (const { size, viewport, colorScheme, rules } of ways) {
        await page.setViewportSize(viewport)
        await page.emulateMedia({ colorScheme })
        found.push(...(await runChecks(page, `playground-${size}-${colorScheme}`, rules)))
        await keepMorePictures(page, `playground-answers-${size}-${colorScheme}`)
      }
      expect(found).toEqual([])
    },
    patientMs,
  )

  test(
    'a file that both sides changed shows what each of them made of it',
    async () => {
      const { projectId } = filled.known
      const crId = await openConflict(filled.svc, platform.dataDir, projectId)
      await page.setViewportSize(wide)
      await page.goto(`${platform.url}/projects/${projectId}/change-requests/${crId}`)
      await page.getByText('One file conflicts with main.').waitFor()
      await page.locator('summary', { hasText: 'README.md' }).click()
      for (const [name, made] of [
        ['What main changed', '# As main has it'],
        ['What this request changed', '# As the request has it'],
      ] as const) {
        const side = page.getByRole('region', { name })
        await side.getByText('# As it was').waitFor()
        await side.getByText(made).waitFor()
      }
      const found = await runChecks(page, 'conflict')
      await keepMorePictures(page, 'conflict-wide')
      await page.setViewportSize(phone)
      await keepMorePictures(page, 'conflict-phone')
      expect(found).toEqual([])
    },
    patientMs,
  )

  test(
    'what somebody else saves while a routing is being written replaces nothing, and neither is lost',
    async () => {
      const { svc, known } = filled
      const { routing } = svc.project(known.projectId).gateway
      const [model = ''] = Object.keys((await svc.project(known.projectId).modelPicker()).models)
      await page.goto(`${platform.url}/projects/${known.projectId}/models/routing`)
      await page.getByLabel('Default model').selectOption(model)
      const { project: saved } = await routing.get()
      await routing.set({ ...saved, defaultFallback: { models: [model], fallbackOn: 'transient' } })
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Somebody else saved another routing').waitFor()
      expect((await routing.get()).project.defaultModel).toBe(null)
      expect(await page.getByLabel('Default model').inputValue()).toBe(model)
      await page.getByRole('button', { name: 'Go on with mine' }).click()
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Saved. New calls follow it.').waitFor()
      expect((await routing.get()).project).toMatchObject({ defaultModel: model, defaultFallback: null })
    },
    patientMs,
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

/** Sections that do not show what the agent is doing meanwhile: these are looked at while it works. */
const early = /^\/(profile|accounts|operator|projects\/\$projectId\/(files|agents|secrets|access|settings))/
const isEarly = (routes: readonly string[]) => routes.every((route) => early.test(route))

/** Routes by section, so that what fails is named and nothing waits for all the others. */
function groupRoutes(): [section: string, routes: string[]][] {
  const groups = new Map<string, string[]>()
  for (const route of listRoutes()) {
    const section = route.split('/')[route.startsWith('/projects/$') ? 3 : 1] || 'home'
    groups.set(section, [...(groups.get(section) ?? []), route])
  }
  return [...groups].sort(([, one], [, other]) => Number(isEarly(other)) - Number(isEarly(one)))
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
async function fillProject(svc: SvcClient) {
  const { project_id: projectId, account_id: accountId } = await svc.projects.provision({ name: 'Every screen' })
  const project = svc.project(projectId)
  const prompt = script('write hello.sh: echo "Hello"\\n', 'run sh hello.sh', 'finish The file **hello.sh** is there.')
  const work = async () => {
    const { session_id: sessionId } = await project.sessions.create({})
    if (!sessionId) throw new Error('There is no session.')
    const session = svc.session(projectId, sessionId)
    await session.send(prompt)
    await session.commit({})
    const { cr_id: crId } = await project.changeRequests.open({
      title: 'A greeting',
      head_ref: sessionId,
      session_id: sessionId,
    })
    // Its one commit: axe takes ten seconds for each look at the hundreds of lines that a project begins with.
    const { commits } = await project.git.commits({ ref: sessionId, limit: 1 })
    return { sessionId, crId, sha: commits[0]?.hash ?? '' }
  }
  const made = work()
  // Whoever needs it awaits it, and is told then.
  made.catch(() => undefined)
  await project.secrets.upsert({ name: 'API_KEY', value: 'not a real one' })
  await project.gateway.createKey('nightly')
  await svc.accounts.invite(accountId, { email: 'new@example.com', role: 'member' })
  return { svc, known: { projectId, accountId }, made }
}
