import { readdir, rename, rm, rmdir } from 'node:fs/promises'
import type { Config } from '../kernel/config.ts'
import { openDataDirectory } from '../kernel/data-directory/index.ts'
import { type Connection, parseConnectionString } from '../kernel/database/index.ts'
import { StartError } from '../kernel/start-error.ts'
import type { Summary } from './archive.ts'
import { withOwnPostgres } from './reach-database.ts'
import { checkBackup, restoreBackup } from './restore-backup.ts'
import { dropPlatform, holdsPlatform, openSession } from './store.ts'

interface Restoring extends Pick<Config, 'dataDir' | 'databaseUrl'> {
  readonly file: string
  /** What is there already is put aside, and in a database of somebody else's it is dropped. */
  readonly replace: boolean
}

export interface Restored {
  readonly summary: Summary
  /** Where the data directory that was there before is now. */
  readonly before: string | undefined
  readonly hasMasterKey: boolean
}

/** The restored data directory appears when everything in it has been checked; until then nothing is touched. */
export async function replaceDataDirectory({ file, dataDir, databaseUrl, replace }: Restoring): Promise<Restored> {
  const { header } = await checkBackup(file)
  const present = await listContent(dataDir)
  if (present.length > 0 && !replace) throw notEmpty(`The data directory ${dataDir} is not empty.`)
  if (present.length > 0) await requireUnused(dataDir)
  const staging = `${dataDir}.restoring-${process.pid}`
  try {
    const summary = await fill(file, staging, databaseUrl, replace)
    const before = present.length > 0 ? `${dataDir}.before-${new Date().toISOString().replaceAll(':', '-')}` : undefined
    if (before !== undefined) await rename(dataDir, before)
    else await rmdir(dataDir).catch(ignoreAbsent)
    await rename(staging, dataDir)
    return { summary, before, hasMasterKey: header.has_master_key }
  } catch (error) {
    await rm(staging, { recursive: true, force: true })
    throw error
  }
}

async function fill(file: string, staging: string, databaseUrl: string | undefined, replace: boolean) {
  const restore = (connection: Connection) => restoreBackup({ file, dataDir: staging, connection })
  if (databaseUrl === undefined) return withOwnPostgres(staging, restore)
  const directory = await openDataDirectory(staging)
  try {
    const connection = parseConnectionString(databaseUrl)
    await clearDatabase(connection, replace)
    return await restore(connection)
  } finally {
    await directory.release()
  }
}

async function clearDatabase(connection: Connection, replace: boolean): Promise<void> {
  const sql = await openSession(connection)
  try {
    if (!(await holdsPlatform(sql))) return
    if (!replace) throw notEmpty(`The database ${connection.database} holds an instance already.`)
    await dropPlatform(sql)
  } finally {
    await sql.end({ timeout: 5 })
  }
}

/** A server that runs there keeps its lock, and this refuses. */
async function requireUnused(dataDir: string): Promise<void> {
  const directory = await openDataDirectory(dataDir)
  await directory.release()
}

async function listContent(dataDir: string): Promise<string[]> {
  return readdir(dataDir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
}

function ignoreAbsent(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error
}

const notEmpty = (what: string) =>
  new StartError(what, 'Choose an empty one with SVC_DATA_DIR or DATABASE_URL, or add -y to replace what is there.')
