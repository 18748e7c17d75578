import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

/** Where systems keep Chromium or Chrome; `SVC_CHROMIUM` names any other. */
const places = [
  process.env.SVC_CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/** The browser of this machine, if it has one. */
export function findBrowser(): string | undefined {
  return places.find((path) => path !== undefined && existsSync(path))
}

export function openBrowser(executablePath: string): Promise<Browser> {
  // Chromium's own sandbox refuses to start for root; the pages opened here are ours.
  const isRoot = process.getuid?.() === 0
  return chromium.launch({ executablePath, args: isRoot ? ['--no-sandbox'] : [] })
}
