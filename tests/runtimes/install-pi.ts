import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { findPi } from '../../apps/server/src/runtimes/pi/find-pi.ts'

/** Does what `npm run runtime:pi` does, when pi is not there yet; a sentence says why it could not be. */
export async function installPi(): Promise<string | undefined> {
  if (findPi()) return undefined
  try {
    await promisify(execFile)('npm', ['run', '--silent', 'runtime:pi'], { timeout: 300_000 })
  } catch (error) {
    return `could not be installed: ${error instanceof Error ? error.message.split('\n')[0] : error}`
  }
  return findPi() ? undefined : 'was installed and is not where it should be'
}
