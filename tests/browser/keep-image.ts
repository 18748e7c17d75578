import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'

const folder = new URL('../../docs/images/', import.meta.url)

/** The pictures of the README are of the running product: `npm run web:images` takes them anew. */
export async function keepImage(page: Page, name: string): Promise<void> {
  if (process.env.SVC_UPDATE_IMAGES !== '1') return
  await page.screenshot({ path: fileURLToPath(new URL(`${name}.png`, folder)), animations: 'disabled' })
}
