import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { npmCommand } from '../../../scripts/setup/npm-command.mjs'
import { withProgress } from '../../../scripts/setup/progress.mjs'
import { runCommand } from '../../../scripts/setup/run-command.mjs'

const folder = import.meta.dirname

/** Installs the runtimes by their lock file when they are not there yet; a sentence says why they could not be. */
export async function installRuntimes(): Promise<string | undefined> {
  const lock = createHash('sha256')
    .update(readFileSync(join(folder, 'package-lock.json')))
    .digest('hex')
  const stamp = join(folder, 'node_modules', '.svc-packages')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return undefined
  const [command, args] = npmCommand()
  try {
    await withProgress('installing the runtimes that the client library is tested on', () =>
      runCommand(command, [
        ...args,
        'ci',
        '--prefix',
        folder,
        '--no-audit',
        '--no-fund',
        '--ignore-scripts',
        '--loglevel=error',
      ]),
    )
    writeFileSync(stamp, lock)
    return undefined
  } catch (error) {
    return `not installed: ${error instanceof Error ? error.message.split('\n')[0] : error}`
  }
}

/** A program of the installed runtimes, by the package of this machine's kind. */
export function findProgram(names: readonly string[], path: string): string | undefined {
  return names.map((name) => join(folder, 'node_modules', name, path)).find((program) => existsSync(program))
}
