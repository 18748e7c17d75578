import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../kernel/config.ts'
import { openDataDirectory } from '../kernel/data-directory/index.ts'
import { superuser } from '../kernel/database/embedded/create-cluster.ts'
import { chooseSocketDirectory, socketPort } from '../kernel/database/embedded/layout.ts'
import { startPostgres } from '../kernel/database/embedded/start-postgres.ts'
import { type Connection, parseConnectionString } from '../kernel/database/index.ts'
import { StartError } from '../kernel/start-error.ts'
import { openSession } from './store.ts'

type Place = Pick<Config, 'dataDir' | 'databaseUrl'>

/** The database of this instance: the running server's, without stopping it, or one started for the purpose. */
export async function withDatabase<Result>(
  { dataDir, databaseUrl }: Place,
  use: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  if (databaseUrl !== undefined) return use(parseConnectionString(databaseUrl))
  const running = await findRunning(dataDir)
  return running ? use(running) : withOwnPostgres(dataDir, use)
}

/** Starts the embedded PostgreSQL of a data directory that nobody else has open, and stops it again. */
export async function withOwnPostgres<Result>(
  dataDir: string,
  use: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  const directory = await openDataDirectory(dataDir)
  try {
    const postgres = await startPostgres({ dataDirectory: directory.path })
    return await use(postgres.connection).finally(() => postgres.stop())
  } finally {
    await directory.release()
  }
}

async function findRunning(dataDir: string): Promise<Connection | undefined> {
  const root = await realpath(dataDir).catch((error: unknown) => {
    throw new StartError(
      `There is no data directory at ${dataDir}.`,
      'Run this where the server runs, with the same SVC_DATA_DIR.',
      { cause: error },
    )
  })
  const host = chooseSocketDirectory(join(root, 'postgres'), root)
  const connection = { host, port: socketPort, user: superuser, database: 'postgres' }
  try {
    const sql = await openSession(connection)
    await sql.end({ timeout: 5 })
    return connection
  } catch {
    // Nothing answers there: the server is not running, and the caller starts the database itself.
    return undefined
  }
}
