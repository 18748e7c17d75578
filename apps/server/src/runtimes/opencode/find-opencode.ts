import { accessSync, constants, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** Machines run Linux whatever the host runs, so it is the Linux program that is looked for. */
export function opencodePackage(): string {
  return `opencode-linux-${process.arch}`
}

export interface FoundProgram {
  readonly path: string
  readonly version: string
}

/** The program of the npm package for this processor; undefined when it is not installed. */
export function findOpencode(): FoundProgram | undefined {
  try {
    const manifest = createRequire(import.meta.url).resolve(`${opencodePackage()}/package.json`)
    const path = join(dirname(manifest), 'bin', 'opencode')
    accessSync(path, constants.X_OK)
    const { version }: { version?: unknown } = JSON.parse(readFileSync(manifest, 'utf8'))
    return { path, version: String(version) }
  } catch {
    // Optional by its package: npm leaves it out on other systems, and whoever asks says how to get it.
    return undefined
  }
}

export const installAdvice = `Run \`npm install --include=optional\`; on macOS \`npm install --no-save --os=linux --cpu=${process.arch} ${opencodePackage()}\`, since machines run Linux.`
