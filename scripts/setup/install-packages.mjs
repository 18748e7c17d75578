import { lstatSync } from 'node:fs'
import { npmCommand } from './npm-command.mjs'
import { checkPackages, countLockedPackages, writeStamp } from './packages-state.mjs'
import { withProgress } from './progress.mjs'
import { inRepository, root } from './repository.mjs'
import { CommandFailed, runCommand } from './run-command.mjs'

/**
 * Makes node_modules what the lock file says, and nothing when it is that already.
 *
 * @returns {Promise<boolean>} whether it installed
 */
export async function installPackages() {
  const state = checkPackages()
  if (state.current) return false
  refuseLinkedFolder(state.why)

  const [command, npmArgs] = npmCommand()
  // A clone is built where it runs, so the build tools are needed even where NODE_ENV=production hides them.
  const args = ['ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error']
  try {
    await withProgress(`installing npm packages (${countLockedPackages()})`, () =>
      runCommand(command, [...npmArgs, ...args], { cwd: root }),
    )
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error
    throw new Error(
      `npm ci did not work (${state.why}):\n${error.output.trim()}\nIt needs the network once. Then run npm ci again.`,
      { cause: error },
    )
  }
  writeStamp()
  return true
}

/**
 * npm ci empties node_modules first; behind a link that would be somebody else's folder.
 *
 * @param {string} why
 */
function refuseLinkedFolder(why) {
  if (!lstatSync(inRepository('node_modules'), { throwIfNoEntry: false })?.isSymbolicLink()) return
  throw new Error(
    `node_modules is a link and not what the lock file says (${why}). Remove the link, or run npm ci there.`,
  )
}
