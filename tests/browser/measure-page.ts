import type { BrowserContext, Page } from 'playwright-core'

interface Figures {
  readonly lcpMs: number
  readonly shift: number
  readonly longTasks: number
  readonly longTaskMs: number
}

/** Runs in every page before its own script. */
const observe = `
  globalThis.svcFigures = { lcpMs: 0, shift: 0, longTasks: 0, longTaskMs: 0 }
  const watch = (type, note) =>
    new PerformanceObserver((list) => list.getEntries().forEach(note)).observe({ type, buffered: true })
  watch('largest-contentful-paint', (entry) => { svcFigures.lcpMs = entry.startTime })
  watch('layout-shift', (entry) => { if (!entry.hadRecentInput) svcFigures.shift += entry.value })
  watch('longtask', (entry) => { svcFigures.longTasks += 1; svcFigures.longTaskMs += entry.duration })
`

export async function watchPages(context: BrowserContext): Promise<void> {
  await context.addInitScript(observe)
}

/** What the browser saw of the page since it was opened, printed and handed back. */
export async function readFigures(page: Page, name: string): Promise<Figures> {
  const figures = await page.evaluate<Figures>('svcFigures')
  const { lcpMs, shift, longTasks, longTaskMs } = figures
  const tasks = `${longTasks} long tasks of ${Math.round(longTaskMs)} ms together`
  console.log(`${name}: largest paint after ${Math.round(lcpMs)} ms, layout shift ${shift.toFixed(3)}, ${tasks}.`)
  return figures
}
