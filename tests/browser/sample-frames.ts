import type { Page } from 'playwright-core'

interface Frames {
  readonly gapsMs: readonly number[]
  /** How far the row that was watched moved, at most, from one frame to the next. */
  readonly movedPx: number
  /** In how many frames that row was there. */
  readonly watchedFrames: number
  /** How far the end of the conversation was below the screen, at most. */
  readonly belowPx: number
  readonly mostRows: number
}

/** So many frames without a change are rest. */
const calmFrames = 10

const begin = (row: string | undefined) => `
  globalThis.svcFrames = { gapsMs: [], movedPx: 0, watchedFrames: 0, belowPx: 0, mostRows: 0 }
  globalThis.svcSampling = true
  const scroller = document.querySelector('[aria-label=Conversation]')
  const key = ${JSON.stringify(row ?? null)}
  let last = performance.now(), top
  requestAnimationFrame(function sample(now) {
    const found = svcFrames
    found.gapsMs.push(now - last)
    last = now
    found.belowPx = Math.max(found.belowPx, scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight)
    found.mostRows = Math.max(found.mostRows, scroller.querySelectorAll('[data-index]').length)
    const row = key && [...scroller.querySelectorAll('[data-index]')].find((one) => one.textContent.includes(key))
    const place = row ? row.getBoundingClientRect().top : undefined
    if (place !== undefined && top !== undefined) found.movedPx = Math.max(found.movedPx, Math.abs(place - top))
    if (place !== undefined) found.watchedFrames += 1
    top = place
    if (svcSampling) requestAnimationFrame(sample)
  })`

/** Watches the frames of the page while something happens; with a text, also the row that has it. */
export async function sampleFrames(page: Page, work: () => Promise<unknown>, row?: string): Promise<Frames> {
  await page.evaluate(begin(row))
  await work()
  return page.evaluate<Frames>('(svcSampling = false, svcFrames)')
}

export function describeFrames({ gapsMs, mostRows, belowPx }: Frames): string {
  const sorted = [...gapsMs].sort((a, b) => a - b)
  const at = (share: number) => (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(1)
  return `${sorted.length} frames, half within ${at(0.5)} ms, 95 of 100 within ${at(0.95)} ms, the longest ${at(1)} ms, at most ${mostRows} rows, the end at most ${Math.round(belowPx)} px below`
}

/** Up, page after page, as somebody does who looks for the beginning. */
export async function scrollToFirst(page: Page): Promise<void> {
  const first = page.locator('[data-index="0"]').getByText(/message 1\b/)
  while (!(await first.isVisible())) {
    await page.evaluate(`new Promise((resolve) => {
      document.querySelector('[aria-label=Conversation]').scrollTop = 0
      requestAnimationFrame(() => requestAnimationFrame(resolve))
    })`)
  }
}

/**
 * Turns the wheel over the conversation, and waits until it has moved and then come to rest with everything in it: a wheel
 * is answered before the page has scrolled, and what is measured for the first time moves it once more.
 */
export async function turnWheel(page: Page, byPx: number): Promise<void> {
  const readPlace = `(() => {
    const { scrollTop, scrollHeight } = document.querySelector('[aria-label=Conversation]')
    return scrollTop + ' of ' + scrollHeight
  })()`
  const before = await page.evaluate<string>(readPlace)
  await page.mouse.wheel(0, byPx)
  await page.evaluate(`new Promise((resolve) => {
    let last = ${JSON.stringify(before)}, calm = 0
    requestAnimationFrame(function look() {
      const place = ${readPlace}
      calm = place === last && place !== ${JSON.stringify(before)} ? calm + 1 : 0
      last = place
      if (calm < ${calmFrames}) requestAnimationFrame(look)
      else resolve()
    })
  })`)
}

/** The text of the row in the middle of the screen. */
export const findMiddleRow = `new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => {
  const rows = [...document.querySelectorAll('[aria-label=Conversation] [data-index]')]
  const middle = rows.find((row) => row.getBoundingClientRect().bottom > innerHeight / 2)
  resolve(/message \\d+\\./.exec(middle?.textContent ?? '')?.[0] ?? '')
})))`
