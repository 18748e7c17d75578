import { randomBytes } from 'node:crypto'
import type { SessionHandle } from '@svc/sdk'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readDashboard } from '../../apps/server/src/web/read-dashboard.ts'
import { hostilePayloads } from '../../apps/web/src/markdown/hostile-payloads.ts'
import { killRuntime } from '../support/kill-runtime.ts'
import { keepMorePictures, runChecks } from './check-page.ts'
import { script, signIn } from './claim-instance.ts'
import { fillLog } from './fill-log.ts'
import { hostilePage, serveCode } from './hostile-page.ts'
import { findBrowser } from './open-browser.ts'
import { openSessionScreen, waitForTurn } from './open-session-screen.ts'
import { describeFrames, findMiddleRow, sampleFrames, scrollToFirst, turnWheel } from './sample-frames.ts'

const isReady = findBrowser() !== undefined && readDashboard() !== undefined
if (!isReady) console.log('Skipped the session screen in a browser: no Chromium, or the dashboard is not built.')

const patientMs = 240_000
const maxRows = 60

/** One session for the whole file: each test goes on where the one before it ended. */
describe.skipIf(!isReady)('the session screen', { timeout: patientMs }, () => {
  let here: Awaited<ReturnType<typeof openSessionScreen>>
  let context: BrowserContext
  let page: Page
  let session: SessionHandle
  let url = ''
  const found: string[] = []

  beforeAll(async () => {
    here = await openSessionScreen(patientMs)
    ;({ context, page, session } = here)
    url = here.platform.url
  }, patientMs)
  afterAll(() => here?.stop(), patientMs)

  const check = async (name: string) => {
    await keepMorePictures(page, `20-session-${name}`)
    found.push(...(await runChecks(page, `20-session-${name}`)))
  }
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
    await page.goto(`${url}/projects/${here.projectId}/sessions`)
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

  test('two windows on one session see the same answer as it comes', async () => {
    const other = await context.newPage()
    await other.goto(here.address)
    await other.locator('article strong', { hasText: 'all' }).waitFor()
    await tell('say Both windows', 'wait 200ms', 'finish  see **this**.')
    await page.locator('article strong', { hasText: 'this' }).waitFor()
    await other.locator('article strong', { hasText: 'this' }).waitFor()
    await other.close()
  })

  test('an answer that came while the browser was offline is there, once, when it is back', async () => {
    const { seq } = await session.storedMessages({ limit: 1 })
    await tell('say The line goes.', 'wait 2s', 'finish I end **here**.')
    await page.locator('article p', { hasText: /^The line goes\./ }).waitFor()
    await context.setOffline(true)
    await waitForTurn(session, seq)
    await context.setOffline(false)
    await page.locator('article strong', { hasText: 'here' }).waitFor()
    expect(await page.locator('article strong', { hasText: 'here' }).count()).toBe(1)
  })

  test('a model that refuses is tried again, and what was said before can be summarised', async () => {
    const stop = page.getByRole('button', { name: 'Stop' })
    await tell('fail 429')
    await page.getByText(/^Trying again, attempt \d+: The script asked for an HTTP 429/).waitFor()
    await check('retry')
    await stop.click()
    await stop.waitFor({ state: 'detached' })
    await page
      .getByRole('status')
      .filter({ hasText: /^Stopped\.$/ })
      .waitFor()
    const { opencodeSessionId } = await session.ensureReady()
    const { providers } = await session.runtime.config.providers()
    const [provider] = providers
    const [modelID = ''] = Object.keys(provider?.models ?? {})
    await session.runtime.session.summarize(opencodeSessionId, { providerID: provider?.id ?? '', modelID })
    await page.getByText('Earlier messages were summarised').waitFor()
    await page.getByText('The summary that the agent goes on with').click()
    await check('compaction')
  })

  test('a prompt that is taken back has its files again, and what was typed outlives leaving the screen', async () => {
    const stop = page.getByRole('button', { name: 'Stop' })
    const message = page.getByLabel('Message')
    const files = ['notes.txt', 'raw.bin'].map((name) => page.getByRole('button', { name: `Remove ${name}` }))
    const isThere = () => Promise.all(files.map((file) => file.waitFor()))
    await tell('say This takes a while.', 'wait 60s', 'finish Too late.')
    await page.locator('article p', { hasText: /^This takes a while\./ }).waitFor()
    await page.locator('input[type=file]').setInputFiles([
      { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('notes') },
      { name: 'raw.bin', mimeType: 'application/octet-stream', buffer: Buffer.from([0, 1, 2]) },
    ])
    await page.getByText('Attached', { exact: true }).waitFor()
    await page.getByText('For tools to read').waitFor()
    await message.fill('Read these.')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByRole('button', { name: 'Take it back' }).click()
    await isThere()
    expect(await message.inputValue()).toBe('Read these.')
    await check('taken-back')
    await stop.click()
    await stop.waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'All sessions' }).click()
    await page.getByRole('heading', { name: 'Sessions', exact: true }).waitFor()
    await page.goto(here.address)
    await isThere()
    expect(await message.inputValue()).toBe('Read these.')
    for (const file of files) await file.click()
    await message.fill('')
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
      body: { command: '/opt/svc/node/bin/node', args: ['-e', serveCode(hostilePage(url), 3000)] },
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
    expect(page.url()).toBe(here.address)
  })

  test('no drawing of an account’s branding runs anything, wherever it is opened', async () => {
    const account = (await session.get()).account_id
    const token = here.tokens.at(-1) ?? ''
    const shown = await context.newPage()
    let accepted = 0
    const refusals: string[] = []
    for (const payload of hostilePayloads) {
      const text = `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">${payload}</svg>`
      const reply = await page.request.post(`${url}/v1/accounts/${account}/branding/assets/logo`, {
        headers: { authorization: `Bearer ${token}` },
        multipart: { file: { name: 'logo.svg', mimeType: 'image/svg+xml', buffer: Buffer.from(text) } },
      })
      if (!reply.ok()) {
        refusals.push(await reply.text())
        continue
      }
      accepted += 1
      const { branding } = (await reply.json()) as { branding: { logo_url: string } }
      await shown.goto(new URL(branding.logo_url, url).href)
    }
    await shown.close()
    console.log(`Of ${hostilePayloads.length} hostile drawings ${accepted} were taken, as plain pictures.`)
    expect(hostilePayloads.length).toBeGreaterThanOrEqual(50)
    // Refused for what they are, and not for something that would refuse every drawing.
    expect(refusals.filter((body) => !body.includes('unsafe_image'))).toEqual([])
  })

  test('5,000 messages scroll and stream like 50: few rows in the page, and nothing jumps', async () => {
    const { db } = here.platform.database
    const { sessionId } = session
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
    await page.goto(here.address)
    await page.getByText('Got them.', { exact: true }).first().waitFor()
    const short = await sampleFrames(page, () => answer('the short one'))
    console.log(`Streaming into 50 messages: ${describeFrames(short)}.`)

    await fillLog(db, { sessionId, conversationId, from: 1, to: 4_950 })
    await page.goto(here.address)
    await page.locator('article strong', { hasText: 'the short one' }).first().waitFor()
    const scrolled = await sampleFrames(page, () => scrollToFirst(page))
    console.log(`Scrolling to the first of 5,000 messages: ${describeFrames(scrolled)}.`)
    await page.getByRole('button', { name: 'To the end' }).click()
    const long = await sampleFrames(page, () => answer('the long one'))
    console.log(`Streaming into 5,000 messages: ${describeFrames(long)}.`)
    await page.mouse.move(400, 300)
    let watched = ''
    while (watched === '') {
      await turnWheel(page, -6_000)
      watched = await page.evaluate<string>(findMiddleRow)
    }
    const away = await sampleFrames(page, () => session.send(script(...paced, 'finish Over.')), watched)

    for (const { mostRows } of [short, scrolled, long, away]) expect(mostRows).toBeLessThanOrEqual(maxRows)
    expect(long.belowPx).toBeLessThanOrEqual(Math.max(short.belowPx, 120))
    expect(away.watchedFrames).toBe(away.gapsMs.length)
    expect(away.movedPx).toBeLessThanOrEqual(1)
  })

  test('on a phone in the dark every part of it fits', async () => {
    await page.setViewportSize({ width: 390, height: 844 })
    await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
    await page.goto(here.address)
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
    await page.goto(here.address)
    await openTab('Files')
    await page.getByRole('button', { name: 'README.md' }).waitFor()
    await page.getByRole('button', { name: 'Park' }).click()
    await page.getByText('The session is parked').waitFor()
    await page.evaluate('window.dispatchEvent(new Event("visibilitychange"))')
    expect((await session.get()).status).toBe('stopped')
    await page.getByRole('button', { name: 'Start it again' }).click()
    await page.getByRole('button', { name: 'README.md' }).waitFor()
  })

  test('work that was cut off is not done again by itself: the screen says so, also after a reload, and offers to go on', async () => {
    await tell('say Half of it.', 'wait 60s', 'finish The rest.')
    await page.locator('article p', { hasText: /^Half of it\./ }).waitFor()
    killRuntime(session.sessionId)
    const cutOff = page.getByText('The agent was cut off before it finished.')
    await cutOff.waitFor()
    await page.reload()
    await cutOff.waitFor()
    await check('cut-off')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.locator('article p', { hasText: /^Go on where you were cut off\.$/ }).waitFor()
    await cutOff.waitFor({ state: 'detached' })
  })

  test('hostile text in a conversation, a diff and a file runs nothing and fetches nothing', async () => {
    const text = hostilePayloads.join('\n\n').replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
    const prompt = script(`write evil.md: ${text}\\n`, `finish ${text}`)
    await page.goto(await here.startSession(prompt))
    await page.getByText('write evil.md', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Propose changes' }).click()
    await page.waitForURL(/change-requests\/[^/]+$/)
    await page.getByRole('heading', { name: 'evil.md' }).waitFor()
    await page.getByRole('button', { name: 'Merge', exact: true }).click()
    await page.getByText('merged', { exact: true }).waitFor()
    await page.goto(`${url}/projects/${here.projectId}/files?file=evil.md`)
    await page.locator('article').waitFor()
    const foreign = ['script', 'iframe', 'img', 'svg', 'form', 'style', 'object'].map((tag) => `article ${tag}`)
    expect(await page.locator(foreign.join(', ')).count()).toBe(0)
    expect(here.broken).toEqual([])
  })

  test('whoever is no longer signed in signs in again and comes back to where they were', async () => {
    const place = `${url}/projects/${here.projectId}/files`
    await context.clearCookies()
    await page.goto(place)
    await page.waitForURL(/\/sign-in\?next=/)
    await signIn(page)
    await page.getByRole('heading', { name: 'Files' }).waitFor()
    expect(page.url()).toBe(place)
  })

  test('axe found nothing serious or critical, nothing broke the policy of the page, and no token was stored', async () => {
    expect(found).toEqual([])
    expect(here.broken).toEqual([])
    const stored = await page.evaluate<string>('JSON.stringify([localStorage, sessionStorage, document.cookie])')
    for (const token of here.tokens) expect(stored).not.toContain(token)
    expect(stored).not.toMatch(/svcp\.|access_token/)
  })
})
