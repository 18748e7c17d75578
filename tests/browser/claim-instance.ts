import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'

export const owner = { email: 'owner@example.com', password: 'correct horse battery' }

interface Platform {
  readonly url: string
  readonly dataDir: string
}

/** Opens the one-time link of a new instance. */
export async function openFirstRun(page: Page, { url, dataDir }: Platform): Promise<void> {
  const link = new URL((await readFile(join(dataDir, 'first-run-link'), 'utf8')).trim())
  await page.goto(`${url}${link.pathname}${link.search}`)
}

/** Fills in the form of the first run, or of signing in, and waits until it was accepted. */
export async function signIn(page: Page): Promise<void> {
  await page.getByLabel('Mail address').first().fill(owner.email)
  await page.getByLabel('Password').fill(owner.password)
  // The form answers with the way to another page: going elsewhere before that opened would be undone by it.
  const arrived = page.waitForEvent('framenavigated')
  await page.getByLabel('Password').press('Enter')
  await arrived
  await page.waitForLoadState()
}

/** Calls of the API in the name of whoever is signed in on the page. */
export async function createCalls(page: Page, url: string) {
  const headers = { 'x-svc-client': 'web' }
  const reply = await page.request.post(`${url}/session/access`, { headers })
  const { access_token: token } = (await reply.json()) as { access_token: string }
  return async (path: string, data: unknown): Promise<Record<string, unknown>> => {
    const answer = await page.request.post(`${url}/v1${path}`, { data, headers: { authorization: `Bearer ${token}` } })
    if (!answer.ok()) throw new Error(`${path} answered ${answer.status()}: ${await answer.text()}`)
    return (await answer.json()) as Record<string, unknown>
  }
}

/** A prompt for the scripted model. */
export const script = (...lines: string[]) => ['Please.', '', '```script', ...lines, '```', ''].join('\n')
