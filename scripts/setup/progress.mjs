const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const stillWorkingEveryMs = 10_000

/** A terminal has one line that turns; whatever goes on beside it is told in lines of its own. */
let isSpinning = false

/** @param {number} ms */
export const formatSeconds = (ms) => `${(ms / 1000).toFixed(1)} s`

/** @param {string} line */
export const say = (line) => {
  process.stdout.write(`${isSpinning ? clearLine : ''}${line}\n`)
}

const clearLine = '\r\x1b[2K'

/**
 * Runs `work` under a progress line: a spinner on a terminal; elsewhere one line at the start, one every ten seconds
 * and one at the end, so that a log shows that something is going on without filling up.
 *
 * @template T
 * @param {string} label
 * @param {(update: (detail: string) => void) => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withProgress(label, work) {
  const startedAt = performance.now()
  const line = process.stdout.isTTY && !isSpinning ? showSpinner(label, startedAt) : showLines(label, startedAt)
  try {
    const result = await work(line.update)
    line.end(`• ${label}: done in ${formatSeconds(performance.now() - startedAt)}`)
    return result
  } catch (error) {
    line.end(`✗ ${label}: failed after ${formatSeconds(performance.now() - startedAt)}`)
    throw error
  }
}

/**
 * @param {string} label
 * @param {number} startedAt
 */
function showSpinner(label, startedAt) {
  let detail = ''
  let tick = 0
  const draw = () => {
    const elapsed = formatSeconds(performance.now() - startedAt)
    const text = `${frames[tick++ % frames.length]} ${label} … ${detail} ${elapsed}`
    process.stdout.write(`${clearLine}${text.slice(0, (process.stdout.columns ?? 80) - 1)}`)
  }
  isSpinning = true
  draw()
  const timer = setInterval(draw, 100)
  return {
    /** @param {string} text */
    update: (text) => {
      detail = text
    },
    /** @param {string} text */
    end: (text) => {
      clearInterval(timer)
      say(text)
      isSpinning = false
    },
  }
}

/**
 * @param {string} label
 * @param {number} startedAt
 */
function showLines(label, startedAt) {
  let detail = ''
  say(`• ${label} …`)
  const timer = setInterval(() => {
    say(`  still ${label} … ${detail} ${formatSeconds(performance.now() - startedAt)}`)
  }, stillWorkingEveryMs)
  return {
    /** @param {string} text */
    update: (text) => {
      detail = text
    },
    /** @param {string} text */
    end: (text) => {
      clearInterval(timer)
      say(text)
    },
  }
}
