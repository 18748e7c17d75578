import { formatSeconds, say, withProgress } from '../setup/progress.mjs'
import { CommandFailed } from '../setup/run-command.mjs'

/**
 * @typedef {object} Check
 * @property {string} name
 * @property {() => Promise<unknown>} run throws when the check fails
 */

/**
 * @param {Check} check
 * @returns {Promise<boolean>} whether it passed; what it had to say is on the screen when it did not
 */
export async function runCheck({ name, run }) {
  const startedAt = performance.now()
  try {
    // Set-up shows its own steps.
    await (name === 'set-up' ? run() : withProgress(name, run))
    if (name === 'set-up') say(`• ${name}: done in ${formatSeconds(performance.now() - startedAt)}`)
    return true
  } catch (error) {
    // On the same stream as the rest, so that the summary stays the last thing to be read.
    say(describe(error))
    return false
  }
}

/** @param {unknown} error */
function describe(error) {
  if (error instanceof CommandFailed) return error.output.trim()
  return error instanceof Error ? error.message : String(error)
}
