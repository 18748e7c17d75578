import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { createSvc, type SessionHandle } from '@svc/sdk'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { commitFiles, openRepository, readFile, resolveRef } from '../../apps/server/src/git/index.ts'
import { readDashboard } from '../../apps/server/src/web/read-dashboard.ts'
import { hostilePayloads } from '../../apps/web/src/markdown/hostile-payloads.ts'
import { startTestPlatform } from '../support/platform.ts'
import { checkPage } from './check-page.ts'
import { createCalls, openFirstRun, script, signIn } from './claim-instance.ts'
import { fillLog } from './fill-log.ts'
import { hostilePage, serveCode } from './hostile-page.ts'
import { findBrowser, openBrowser } from './open-browser.ts'
import { describeFrames, sampleFrames } from './sample-frames.ts'

const browserPath = findBrowser()
const isReady = browserPath !== undefined && readDashboard() !== undefined
if (!isReady) console.log('Skipped the session screen in a browser: no Chromium, or the dashboard is not built.')

const patientMs = 120_000
const maxRows = 60

/** One session for the whole file: each test goes on where the one before it ended. */
describe.skipIf(!isReady)('the session screen', { timeout: patientMs }, () => {
  let platform: Awaited<ReturnType<typeof startTestPlatform>>
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let projectId = ''
  let sessionId = ''
  let session: SessionHandle
  const found: string[] = []
  const broken: string[] = []
  const tokens: string[] = []

  beforeAll(async () => {
    platform = await startTestPlatform()
    browser = await openBrowser(browserPath ?? '')
    context = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' })
    context.setDefaultTimeout(patientMs)
    context.on('console', (message) => {
      if (/Content Security Policy/.test(message.text())) broken.push(message.text())
    })
    context.on('weberror', (error) => broken.push(error.error().message))
    context.on('request', (request) => {
      if (/evil\.example/.test(request.url())) broken.push(request.url())
    })
    page = await context.newPage()
    await openFirstRun(page, platform)
    await signIn(page)
    const call = await createCalls(page, platform.url)
    projectId = String((await call('/projects/provision', { name: 'Screen' })).project_id)
    await declareAgent(join(platform.dataDir, 'repositories', `${projectId}.git`))
    const text = script(
      'say I begin.',
      String.raw`run printf '\033[32mgreen\033[0m\n'`,
      'ask Which colour? | Red | Green',
      'finish Done **all**.',
    )
    const made = await call(`/projects/${projectId}/sessions`, { agent_name: 'careful', pending_prompt: { text } })
    sessionId = String(made.session_id)
    const getToken = async () => {
      const reply = await page.request.post(`${platform.url}/session/access`, { headers: { 'x-svc-client': 'web' } })
      const { access_token: token } = (await reply.json()) as { access_token: string }
      tokens.push(token)
      return token
    }
    session = createSvc({ backendUrl: `${platform.url}/v1`, getToken }, { global: false }).session(projectId, sessionId)
  }, patientMs)
  afterAll(async () => {
    await browser?.close()
    await platform?.stop()
  }, patientMs)

  const address = () => `${platform.url}/projects/${projectId}/sessions/${sessionId}`
  const check = async (name: string) => found.push(...(await checkPage(page, `20-session-${name}`)))
  const openTab = async (name: string) => {
    const tab = page.getByRole('tab', { name })
    if (!(await tab.isVisible())) await page.getByRole('button', { name: 'Details' }).click()
    await tab.click()
  }
  const tell = async (...lines: string[]) => {
    await page.getByLabel('Message').fill(script(...lines))
    await page.getByRole('button', { name: 'Send' }).click()
  }

  test('what an agent waits for is in the list, outlives a reload and is answered where it is asked', async () => {
    await page.goto(`${platform.url}/projects/${projectId}/sessions`)
    await page.getByText('asks for permission').waitFor()
    await page.getByLabel('State').selectOption({ label: 'Needs your answer' })
    await check('list')
    await page.getByRole('link', { name: /asks for permission/ }).click()
    await page.getByText('The agent would like to use bash').waitFor()
    await page.reload()
    await page.getByText('The agent would like to use bash').waitFor()
    await check('permission')
    await page.getByRole('button', { name: 'Allow once' }).click()
    await page.getByRole('radio', { name: 'Red' }).waitFor()
    await page.reload()
    await page.getByRole('radio', { name: 'Red' }).check()
    await check('question')
    await page.getByRole('button', { name: 'Answer', exact: true }).click()
    await page.locator('article strong', { hasText: 'all' }).waitFor()
    await page.getByText(/^\$ printf/).click()
    await page.locator('.text-good', { hasText: 'green' }).waitFor()
  })

  test('a terminal types into a shell of the machine, and is still there after a reload', async () => {
    await openTab('Terminal')
    await page.getByRole('button', { name: 'New terminal' }).click()
    await page.locator('[data-line=open]').waitFor()
    await page.keyboard.type('echo $((40 + 2))-ok\n')
    await page.locator('.xterm-rows', { hasText: '42-ok' }).waitFor()
    await check('terminal')
    await page.keyboard.press('F6')
    expect(await page.evaluate<string>('document.activeElement.textContent')).toBe('Terminal')
    await page.reload()
    await openTab('Terminal')
    await page.locator('.xterm-rows', { hasText: '42-ok' }).waitFor()
    await page.getByRole('button', { name: 'End terminal 1' }).click()
    await page.getByRole('button', { name: 'End it' }).click()
    await page.getByText('No terminal is open').waitFor()
  })

  test('attached files reach the machine whole, and one that was removed does not', async () => {
    const bytes = randomBytes(150_000)
    const name = 'a picture.bin'
    await page.locator('input[type=file]').setInputFiles([
      { name, mimeType: 'application/octet-stream', buffer: bytes },
      { name: 'unwanted.txt', mimeType: 'text/plain', buffer: Buffer.from('no') },
    ])
    await page.getByText('For tools to read').waitFor()
    await page.getByRole('button', { name: 'Remove unwanted.txt' }).click()
    await page.evaluate(`{
      const data = new DataTransfer()
      data.items.add(new File(['dropped words'], 'dropped.txt', { type: 'text/plain' }))
      window.dispatchEvent(new DragEvent('drop', { dataTransfer: data }))
    }`)
    await page.getByText('Attached', { exact: true }).waitFor()
    await check('attachments')
    await tell('finish Got them.')
    await page.getByText('Attached: dropped.txt').waitFor()
    await page.getByText('Got them.', { exact: true }).waitFor()
    await session.ensureReady()
    const blob = await session.files.readBlob(`/tmp/attachments/${name}`)
    expect(Buffer.from(await blob.arrayBuffer()).equals(bytes)).toBe(true)
    await expect(session.files.read('/tmp/attachments/unwanted.txt')).rejects.toThrow()
  })

  test('a file that changed underneath is not overwritten unasked, and leaving with unsaved text asks', async () => {
    await openTab('Files')
    await page.getByRole('button', { name: 'README.md' }).click()
    const editor = page.locator('.cm-content')
    await editor.click()
    await page.keyboard.press('Control+Home')
    await page.keyboard.type('mine ')
    await page.getByText('Not saved').waitFor()
    await session.files.write('/workspace/README.md', 'theirs\n')
    await page.keyboard.press('Control+s')
    await page.getByText('This file changed since you opened it.').waitFor()
    await check('editor')
    expect((await session.files.read('/workspace/README.md')).content).toBe('theirs\n')
    await page.getByRole('button', { name: 'Replace it with mine' }).click()
    await page.getByText('Saved', { exact: true }).waitFor()
    expect((await session.files.read('/workspace/README.md')).content).toMatch(/^mine # Screen/)
    await editor.click()
    await page.keyboard.type('more')
    await page.getByRole('link', { name: 'All sessions' }).click()
    await page.getByText('Leave without saving?').waitFor()
    await page.getByRole('button', { name: 'Stay' }).click()
    await page.getByRole('button', { name: 'Undo all' }).click()
  })

  test('what the machine serves stands in a frame that reads nothing of the dashboard, and in a tab of its own', async () => {
    await session.ensureReady()
    await session.runtime.request({
      method: 'POST',
      path: 'svc/pty',
      body: { command: '/opt/svc/node/bin/node', args: ['-e', serveCode(hostilePage(platform.url), 3000)] },
    })
    await openTab('Previews')
    const row = page.getByRole('listitem').filter({ hasText: 'Port 3000' })
    const again = page.getByRole('button', { name: 'Look again' })
    while (!(await row.getByText('answers').isVisible())) {
      await again.click()
      await page.locator('button[aria-busy=true]').first().waitFor({ state: 'detached' })
    }
    await row.getByRole('button', { name: 'Show Web' }).click()
    await page.frameLocator('iframe').getByText('Nothing was read.').waitFor()
    await check('preview')
    const [tab] = await Promise.all([
      context.waitForEvent('page'),
      page.getByRole('button', { name: 'Open in a new tab' }).click(),
    ])
    await tab.getByText('Nothing was read.').waitFor()
    expect(new URL(tab.url()).search).toBe('')
    await tab.close()
    expect(page.url()).toBe(address())
  })

  test('no drawing of an account’s branding runs anything, wherever it is opened', async () => {
    const account = (await session.get()).account_id
    const token = tokens.at(-1) ?? ''
    const shown = await context.newPage()
    shown.on('dialog', (dialog) => {
      broken.push(`dialog: ${dialog.message()}`)
      void dialog.dismiss()
    })
    let accepted = 0
    const refusals: string[] = []
    for (const payload of hostilePayloads) {
      const text = `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">${payload}</svg>`
      const reply = await page.request.post(`${platform.url}/v1/accounts/${account}/branding/assets/logo`, {
        headers: { authorization: `Bearer ${token}` },
        multipart: { file: { name: 'logo.svg', mimeType: 'image/svg+xml', buffer: Buffer.from(text) } },
      })
      if (!reply.ok()) {
        refusals.push(await reply.text())
        continue
      }
      accepted += 1
      const { branding } = (await reply.json()) as { branding: { logo_url: string } }
      await shown.goto(new URL(branding.logo_url, platform.url).href)
    }
    await shown.close()
    console.log(`Of ${hostilePayloads.length} hostile drawings ${accepted} were taken, as plain pictures.`)
    expect(hostilePayloads.length).toBeGreaterThanOrEqual(50)
    // Refused for what they are, and not for something that would refuse every drawing.
    expect(refusals.filter((body) => !body.includes('unsafe_image'))).toEqual([])
  })

  test('5,000 messages scroll and stream like 50: few rows in the page, and nothing jumps', async () => {
    const { db } = platform.database
    const { opencodeSessionId: conversationId } = await session.ensureReady()
    const lines = Array.from(
      { length: 12 },
      (_, line) => `say Sentence ${line} of an answer that comes bit by bit.\\n\\n`,
    )
    const paced = lines.flatMap((line) => [line, 'wait 50ms'])
    const answer = async (mark: string) => {
      await tell(...paced, `finish That was **${mark}**.`)
      await page.locator('article strong', { hasText: mark }).last().waitFor({ state: 'attached' })
    }
    const close = page.getByRole('button', { name: 'Close details' })
    if (await close.isVisible()) await close.click()

    await fillLog(db, { sessionId, conversationId, from: 4_951, to: 5_000 })
    await page.goto(address())
    await page.getByText('Got them.', { exact: true }).first().waitFor()
    const short = await sampleFrames(page, () => answer('the short one'))
    console.log(`Streaming into 50 messages: ${describeFrames(short)}.`)

    await fillLog(db, { sessionId, conversationId, from: 1, to: 4_950 })
    await page.goto(address())
    await page.locator('article strong', { hasText: 'the short one' }).first().waitFor()
    const scrolled = await sampleFrames(page, () => scrollToFirst(page))
    console.log(`Scrolling to the first of 5,000 messages: ${describeFrames(scrolled)}.`)
    await page.getByRole('button', { name: 'To the end' }).click()
    const long = await sampleFrames(page, () => answer('the long one'))
    console.log(`Streaming into 5,000 messages: ${describeFrames(long)}.`)
    await page.mouse.move(400, 300)
    await page.mouse.wheel(0, -6_000)
    const watched = await page.evaluate<string>(findMiddleRow)
    const away = await sampleFrames(page, () => session.send(script(...paced, 'finish Over.')), watched)

    for (const { mostRows } of [short, scrolled, long, away]) expect(mostRows).toBeLessThanOrEqual(maxRows)
    expect(long.belowPx).toBeLessThanOrEqual(Math.max(short.belowPx, 120))
    expect(away.movedPx).toBeLessThanOrEqual(1)
  })

  test('on a phone in the dark every part of it fits', async () => {
    await page.setViewportSize({ width: 390, height: 844 })
    await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
    await page.goto(address())
    await page.getByText('Over.', { exact: true }).waitFor()
    await check('phone')
    for (const name of ['Files', 'Terminal', 'Previews', 'Cost', 'Share']) {
      await openTab(name)
      await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' })
      await check(`phone-${name.toLowerCase()}`)
      expect(
        await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth'),
        name,
      ).toBeLessThanOrEqual(0)
    }
  })

  test('a session that is parked while its files are on the screen stays parked until somebody says so', async () => {
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.goto(address())
    await openTab('Files')
    await page.getByRole('button', { name: 'README.md' }).waitFor()
    await page.getByRole('button', { name: 'Park' }).click()
    await page.getByText('The session is parked').waitFor()
    await page.evaluate('window.dispatchEvent(new Event("visibilitychange"))')
    expect((await session.get()).status).toBe('stopped')
    await page.getByRole('button', { name: 'Start it again' }).click()
    await page.getByRole('button', { name: 'README.md' }).waitFor()
  })

  test('axe found nothing serious or critical, nothing broke the policy of the page, and no token was stored', async () => {
    expect(found).toEqual([])
    expect(broken).toEqual([])
    const stored = await page.evaluate<string>('JSON.stringify([localStorage, sessionStorage, document.cookie])')
    for (const token of tokens) expect(stored).not.toContain(token)
    expect(stored).not.toMatch(/svcp\.|access_token/)
  })
})

/** An agent that asks before it runs a command. */
async function declareAgent(folder: string): Promise<void> {
  const repository = openRepository(folder)
  const tip = await resolveRef(repository, 'main')
  const { text } = await readFile(repository, { ref: tip, path: 'svc.yaml' })
  const manifest = `${text ?? ''}`.replace('\nagents:\n', '\nagents:\n  careful:\n    skills: all\n')
  const agent = '---\ndescription: Asks first\nmode: primary\npermission:\n  bash: ask\n---\n\nYou ask first.\n'
  const changes = [
    { path: 'svc.yaml', content: manifest },
    { path: '.svc/opencode/agents/careful.md', content: agent },
  ]
  const author = { name: 'Test', email: 'test@example.com' }
  await commitFiles(repository, { branch: 'main', expectedParent: tip, changes, message: 'An agent', author })
}

/** Up, page after page, as somebody does who looks for the beginning. */
async function scrollToFirst(page: Page): Promise<void> {
  const first = page.locator('[data-index="0"]').getByText(/message 1\b/)
  while (!(await first.isVisible())) {
    await page.evaluate(`new Promise((resolve) => {
      document.querySelector('[aria-label=Conversation]').scrollTop = 0
      requestAnimationFrame(() => requestAnimationFrame(resolve))
    })`)
  }
}

/** The text of the row in the middle of the screen. */
const findMiddleRow = `new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => {
  const rows = [...document.querySelectorAll('[aria-label=Conversation] [data-index]')]
  const middle = rows.find((row) => row.getBoundingClientRect().bottom > innerHeight / 2)
  resolve(/message \\d+\\./.exec(middle?.textContent ?? '')?.[0] ?? '')
})))`
