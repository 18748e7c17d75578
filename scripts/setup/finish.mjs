import { CommandFailed, stopCommands } from './run-command.mjs'

/**
 * Runs a script's main function and ends the process with the exit code it returns. A failure is told in its own
 * words, without a stack, and leaves no command running.
 *
 * @param {() => Promise<number>} main
 */
export async function finish(main) {
  try {
    process.exitCode = await main()
  } catch (error) {
    await stopCommands()
    process.stderr.write(`\n✗ ${describe(error)}\n`)
    process.exitCode = 1
  }
  process.exit()
}

/** @param {unknown} error */
function describe(error) {
  if (error instanceof CommandFailed) return `${error.message}\n${error.output.trim()}`
  return error instanceof Error ? error.message : String(error)
}
