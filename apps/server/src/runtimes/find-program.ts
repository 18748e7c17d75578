import { accessSync, constants, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

export interface FoundProgram {
  readonly path: string
  readonly version: string
}

/**
 * A program of an npm package made for one kind of machine; undefined when it is not installed. Machines run Linux
 * whatever the host runs, so it is always the Linux package that is looked for.
 */
export function findProgram(packageName: string, path: string): FoundProgram | undefined {
  try {
    const manifest = createRequire(import.meta.url).resolve(`${packageName}/package.json`)
    const program = join(dirname(manifest), path)
    accessSync(program, constants.X_OK)
    const { version }: { version?: unknown } = JSON.parse(readFileSync(manifest, 'utf8'))
    return { path: program, version: String(version) }
  } catch {
    // Optional by its package: npm leaves it out on other systems, and whoever asks says how to get it.
    return undefined
  }
}

/** Searches files for both runtimes. Without it they would fetch one from the network. */
export function findRipgrep(): FoundProgram | undefined {
  return findProgram(`@vscode/ripgrep-linux-${process.arch}`, 'bin/rg')
}
