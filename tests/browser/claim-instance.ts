import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createSvc } from '@svc/sdk'
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

/** A client in the name of whoever is signed in on the page, and every token it was given. */
export function createClient(page: Page, url: string) {
  const tokens: string[] = []
  const getToken = async () => {
    const reply = await page.request.post(`${url}/session/access`, { headers: { 'x-svc-client': 'web' } })
    const { access_token: token } = (await reply.json()) as { access_token: string }
    tokens.push(token)
    return token
  }
  return { svc: createSvc({ backendUrl: `${url}/v1`, getToken }, { global: false }), tokens }
}

/** A prompt for the scripted model. */
export const script = (...lines: string[]) => ['Please.', '', '```script', ...lines, '```', ''].join('\n')
