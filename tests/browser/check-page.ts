import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import axe from 'axe-core'
import type { Page } from 'playwright-core'

interface Violation {
  readonly id: string
  readonly impact: string
  readonly at: readonly string[]
}

/** Runs in the page. */
const runAxe = (rules: readonly string[] | undefined) => {
  const only = rules ? `, runOnly: { type: 'rule', values: ${JSON.stringify(rules)} }` : ''
  return `axe.run(document, { resultTypes: ['violations'], preload: false${only} }).then(({ violations }) =>
  violations.map(({ id, impact, nodes }) => ({ id, impact, at: nodes.map(({ html }) => html.slice(0, 160)) })))`
}

const folder = fileURLToPath(new URL('../artifacts/', import.meta.url))

/** Pictures of every screen take a quarter of the time: with the long tests, or for whoever asks. */
const keepsAll = process.env.SVC_TEST_LONG === '1' || process.env.SVC_KEEP_PICTURES === '1'

/** Keeps a picture of what is on the screen, and tells what axe calls serious or critical about it. */
export async function checkPage(page: Page, name: string): Promise<string[]> {
  await keepPicture(page, name)
  return runChecks(page, name)
}

/** A picture beside those of the golden path, which are always kept. */
export async function keepMorePictures(page: Page, name: string): Promise<void> {
  if (keepsAll) await keepPicture(page, name)
}

export async function keepPicture(page: Page, name: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  await page.screenshot({ path: join(folder, `${name}.png`), animations: 'disabled' })
}

/** What axe calls serious or critical, by all its rules or by some. */
export async function runChecks(page: Page, name: string, rules?: readonly string[]): Promise<string[]> {
  // Through the debugger, because the page's own policy allows no foreign script.
  if (await page.evaluate<boolean>('globalThis.axe === undefined')) await page.evaluate(axe.source)
  const found = await page.evaluate<Violation[]>(runAxe(rules))
  return found
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, impact, at }) => `${name}: ${impact} ${id} at ${at.slice(0, 3).join(' | ')}`)
}
