import { randomBytes } from 'node:crypto'
import { chown, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { StartError } from '../../start-error.ts'
import type { Binaries } from './binaries.ts'
import type { DatabaseUser } from './database-user.ts'
import type { Launcher } from './launcher.ts'
import type { Layout } from './layout.ts'

export const superuser = 'postgres'
const draftPrefix = 'data.draft-'

export interface CreateOptions {
  readonly binaries: Binaries
  readonly layout: Layout
  readonly launcher: Launcher
  readonly user: DatabaseUser
  /** False only for a database that may be lost at a power cut. */
  readonly durable: boolean
}

/** Afterwards `layout.data` is a whole database of the right version. A kill on the way leaves a draft, never half of one. */
export async function ensureCluster(options: CreateOptions): Promise<void> {
  const { layout, binaries } = options
  await removeDrafts(layout.home)
  const version = await readFile(join(layout.data, 'PG_VERSION'), 'utf8').catch(() => undefined)
  if (version === undefined) return createCluster(options)
  if (version.trim() === binaries.major) return
  throw new StartError(
    `The database in ${layout.data} was made by PostgreSQL ${version.trim()}; this server brings ${binaries.major}.`,
    'Start the version of the server that made it, take a backup, and restore that into a new data directory.',
  )
}

async function createCluster({ binaries, layout, launcher, user, durable }: CreateOptions): Promise<void> {
  const draft = join(layout.home, `${draftPrefix}${randomBytes(6).toString('hex')}`)
  await mkdir(draft, { mode: 0o700 })
  if (user.switched) await chown(draft, user.uid, user.gid)
  const args = [
    ...['-D', launcher.see(draft), '-U', superuser, '--auth=trust', '--encoding=UTF8', '--no-instructions'],
    // One order and one set of letters on every machine, whatever its own locale is.
    ...['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C'],
    ...(durable ? [] : ['--no-sync']),
  ]
  const child = launcher.launch(binaries.initdb, args, { stdio: ['ignore', 'pipe', 'pipe'], deathSignal: 'KILL' })
  const output: Buffer[] = []
  child.stdout?.on('data', (chunk: Buffer) => output.push(chunk))
  child.stderr?.on('data', (chunk: Buffer) => output.push(chunk))
  const failure = await new Promise<Error | undefined>((resolve) => {
    child.once('error', resolve)
    child.once('close', (code) => resolve(code === 0 ? undefined : new Error(`initdb ended with ${code}`)))
  })
  if (failure !== undefined) {
    await rm(draft, { recursive: true, force: true })
    throw explainFailure('PostgreSQL could not make its database', Buffer.concat(output).toString(), layout, failure)
  }
  await rename(draft, layout.data)
  await syncFolder(layout.home)
}

async function removeDrafts(home: string): Promise<void> {
  for (const name of await readdir(home)) {
    if (name.startsWith(draftPrefix)) await rm(join(home, name), { recursive: true, force: true })
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path)
  await folder.sync().finally(() => folder.close())
}

/** Turns what PostgreSQL printed into a sentence and a next step. */
export function explainFailure(what: string, output: string, layout: Layout, cause: Error): StartError {
  if (/no space left on device/i.test(output)) {
    return new StartError(
      `${what}: the disk that holds ${layout.home} is full.`,
      'Free some space on it and start again. Nothing was damaged.',
      { cause },
    )
  }
  if (/could not look up effective user|user does not exist/i.test(output)) {
    return new StartError(
      `${what}: the user this server runs as (uid ${process.getuid?.()}) has no entry in /etc/passwd, which PostgreSQL asks for.`,
      'Run as a user that has one (in a container: add it to the image), or set DATABASE_URL to a PostgreSQL server of your own.',
      { cause },
    )
  }
  if (/error while loading shared libraries|cannot execute|exec format error/i.test(output) || 'code' in cause) {
    return new StartError(
      `${what}: its program does not run on this machine (${lastLines(output) || cause.message}).`,
      'Install the package for this platform again, or set DATABASE_URL to a PostgreSQL server of your own.',
      { cause },
    )
  }
  return new StartError(
    `${what}: ${lastLines(output) || cause.message}`,
    `Read ${layout.log} for the whole story. The data in ${layout.data} was left as it is.`,
    { cause },
  )
}

function lastLines(output: string): string {
  const lines = output.trim().split('\n')
  const telling = lines.filter((line) => /FATAL|PANIC|error|HINT/i.test(line))
  return (telling.length > 0 ? telling : lines).slice(-4).join(' | ')
}
