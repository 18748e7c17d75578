import { stopCommands } from './run-command.mjs'

const stopSignals = /** @type {const} */ (['SIGTERM', 'SIGINT', 'SIGHUP'])

/**
 * Until the returned function is called, SIGTERM, SIGINT and SIGHUP end the running commands and then this process
 * with `exitCode`. As soon as another listener (the server's) is there, it alone decides, so there is no moment in which
 * a signal finds nobody. npm passes Ctrl-C on although the terminal has already sent it to the whole group: the
 * second signal changes nothing.
 *
 * @param {number} exitCode
 */
export function stopOnSignal(exitCode) {
  let stopping = false
  /** @param {NodeJS.Signals} signal */
  const onSignal = async (signal) => {
    if (stopping || process.listenerCount(signal) > 1) return
    stopping = true
    await stopCommands()
    process.exit(exitCode)
  }
  for (const signal of stopSignals) process.on(signal, onSignal)
  return () => {
    for (const signal of stopSignals) process.off(signal, onSignal)
  }
}
