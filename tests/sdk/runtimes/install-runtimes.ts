import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'

const folder = import.meta.dirname

/** Installs the runtimes by their lock file when they are not there yet; a sentence says why they could not be. */
export async function installRuntimes(): Promise<string | undefined> {
  const lock = createHash('sha256')
    .update(readFileSync(join(folder, 'package-lock.json')))
    .digest('hex')
  const stamp = join(folder, 'node_modules', '.svc-packages')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return undefined
  try {
    console.log('installing the runtimes that the client library is tested on …')
    const flags = ['--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error']
    await promisify(execFile)('npm', ['ci', '--prefix', folder, ...flags])
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

/** A program of this machine's, by the folders of PATH. */
export function findCommand(name: string): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter)
  return folders.map((one) => join(one, name)).find((program) => existsSync(program))
}
