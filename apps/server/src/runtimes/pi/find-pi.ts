import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findPackageRoot } from '../../kernel/package-root.ts'

/** Installed on demand into a folder of its own, by the lock file that stands there. */
const installedIn = fileURLToPath(new URL('runtimes/pi', findPackageRoot()))
const packageIn = 'node_modules/@mariozechner/pi-coding-agent'

export const piInstallAdvice = 'Run `npm run runtime:pi`: it installs pi (about 170 MB) by its own lock file.'

/** Below the folder of the installation, on the host and in machines alike. */
export const piProgram = `${packageIn}/dist/cli.js`

export interface FoundPi {
  readonly folder: string
  readonly version: string
}

export function findPi(): FoundPi | undefined {
  if (!existsSync(join(installedIn, piProgram))) return undefined
  const { version }: { version?: unknown } = JSON.parse(
    readFileSync(join(installedIn, packageIn, 'package.json'), 'utf8'),
  )
  return { folder: installedIn, version: String(version) }
}
