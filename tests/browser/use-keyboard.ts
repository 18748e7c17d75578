import type { Locator, Page } from 'playwright-core'

const mostTabs = 150

/** Reaches an element as somebody without a mouse does. Fails where Tab does not lead there. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor()
  const focused = page.locator(':focus')
  for (let tabs = 0; tabs < mostTabs; tabs++) {
    if ((await target.and(focused).count()) > 0) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab never reached ${target}.`)
}

export async function pressOn(page: Page, target: Locator, key = 'Enter'): Promise<void> {
  await tabTo(page, target)
  await page.keyboard.press(key)
}

export async function typeInto(page: Page, target: Locator, text: string): Promise<void> {
  await tabTo(page, target)
  await page.keyboard.insertText(text)
}

/** Opens the palette, types, and takes the first place that matches. */
export async function goTo(page: Page, text: string): Promise<void> {
  await page.keyboard.press('Control+K')
  await page.getByRole('combobox', { name: 'Go to' }).waitFor()
  await page.keyboard.type(text)
  await page
    .getByRole('option', { name: new RegExp(text, 'i') })
    .first()
    .waitFor()
  await page.keyboard.press('Enter')
}
