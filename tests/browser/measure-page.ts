import type { BrowserContext, Page } from 'playwright-core'

interface Figures {
  readonly lcpMs: number
  readonly shift: number
  readonly longTasks: number
  readonly longTaskMs: number
  /** All script that was fetched, as it came over the wire. */
  readonly scriptBytes: number
}

/** Runs in every page before its own script. */
const observe = `
  globalThis.svcFigures = { lcpMs: 0, shift: 0, longTasks: 0, longTaskMs: 0 }
  const watch = (type, note) =>
    new PerformanceObserver((list) => list.getEntries().forEach(note)).observe({ type, buffered: true })
  watch('largest-contentful-paint', (entry) => { svcFigures.lcpMs = entry.startTime })
  // As the web's own measure counts it: the worst burst, with no second of rest in it and five seconds long at most.
  let burst = { sum: 0, from: -Infinity, last: -Infinity }
  watch('layout-shift', ({ hadRecentInput, startTime, value }) => {
    if (hadRecentInput) return
    if (startTime - burst.last > 1000 || startTime - burst.from > 5000) burst = { sum: 0, from: startTime, last: startTime }
    burst.sum += value
    burst.last = startTime
    svcFigures.shift = Math.max(svcFigures.shift, burst.sum)
  })
  watch('longtask', (entry) => { svcFigures.longTasks += 1; svcFigures.longTaskMs += entry.duration })
`

const readAll = `({ ...svcFigures, scriptBytes: performance.getEntriesByType('resource')
  .filter(({ name }) => new URL(name).pathname.endsWith('.js'))
  .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0) })`

export async function watchPages(context: BrowserContext): Promise<void> {
  await context.addInitScript(observe)
}

/** What the browser saw of the page since it was opened. */
export const measurePage = (page: Page): Promise<Figures> => page.evaluate<Figures>(readAll)

/** The same, printed and handed back. */
export async function readFigures(page: Page, name: string): Promise<Figures> {
  const figures = await measurePage(page)
  const { lcpMs, shift, longTasks, longTaskMs, scriptBytes } = figures
  const tasks = `${longTasks} long tasks of ${Math.round(longTaskMs)} ms together`
  const sizes = `${(scriptBytes / 1000).toFixed(1)} kB of script`
  console.log(
    `${name}: largest paint after ${Math.round(lcpMs)} ms, layout shift ${shift.toFixed(3)}, ${tasks}, ${sizes}.`,
  )
  return figures
}
