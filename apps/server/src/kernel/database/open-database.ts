import type { DataDirectory } from '../data-directory/index.ts'
import { StartError } from '../start-error.ts'
import { type ConnectedDatabase, type ConnectOptions, connectDatabase } from './connect-database.ts'
import { type Connection, parseConnectionString } from './connection.ts'
import {
  type EmbeddedOptions,
  type EmbeddedPostgres,
  type EmbeddedState,
  startPostgres,
} from './embedded/start-postgres.ts'
import { migrate } from './migrations/migrate.ts'
import { migrateJobQueue } from './migrations/migrate-job-queue.ts'
import type { Sql } from './pool.ts'

export interface DatabaseOptions extends ConnectOptions {
  /** Locked by the caller, released by the caller after `close`. Its lock time is reported among the phases. */
  readonly dataDirectory: DataDirectory
  /** Another PostgreSQL instead of the embedded one. */
  readonly databaseUrl?: string
  readonly embedded?: Omit<EmbeddedOptions, 'dataDirectory'>
}

/** Milliseconds spent in each step of the start. */
export interface StartPhases {
  readonly lockMs: number
  readonly initdbMs: number
  readonly startMs: number
  readonly connectMs: number
  readonly migrateMs: number
}

export interface Database extends Omit<ConnectedDatabase, 'disconnect'> {
  readonly phases: StartPhases
  /** `external` for a database that somebody else runs. */
  state(): EmbeddedState | 'external'
  /** The embedded PostgreSQL's main process. */
  postgresPid(): number | undefined
  /** Drains the pools, then stops the embedded PostgreSQL. */
  close(): Promise<void>
}

const oldestServerVersion = 150_000

/** A migrated database, ready for queries. Fails with a StartError where a person has to act. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const embedded = await startEmbedded(options)
  const connection = embedded?.connection ?? parseConnectionString(options.databaseUrl ?? '')
  const connected = connectDatabase(connection, options)
  const close = async () => {
    await connected.disconnect()
    await embedded?.stop()
  }
  try {
    const connectAt = performance.now()
    await checkServer(connected.sql, connection)
    const migrateAt = performance.now()
    await migrate(connection)
    await migrateJobQueue(connected.sql, connected.connectionString)
    return {
      ...connected,
      phases: {
        lockMs: options.dataDirectory.lockMs,
        initdbMs: embedded?.phases.initdbMs ?? 0,
        startMs: embedded?.phases.startMs ?? 0,
        connectMs: migrateAt - connectAt,
        migrateMs: performance.now() - migrateAt,
      },
      state: () => embedded?.state() ?? 'external',
      postgresPid: () => embedded?.pid(),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

async function startEmbedded(options: DatabaseOptions): Promise<EmbeddedPostgres | undefined> {
  if (options.databaseUrl !== undefined) return undefined
  return startPostgres({ ...options.embedded, dataDirectory: options.dataDirectory.path })
}

async function checkServer(sql: Sql, connection: Connection): Promise<void> {
  let version: number
  try {
    const [row] = await sql`select current_setting('server_version_num')::int as version`
    version = Number(row?.version)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new StartError(
      `The database ${connection.database} at ${connection.host}:${connection.port} does not answer: ${reason}`,
      'Check that it runs and that DATABASE_URL names its host, port, user, password and database.',
      { cause: error },
    )
  }
  if (version >= oldestServerVersion) return
  throw new StartError(
    `The database server is PostgreSQL ${Math.floor(version / 10_000)}, which is too old.`,
    `Use PostgreSQL ${oldestServerVersion / 10_000} or newer, or remove DATABASE_URL to use the embedded one.`,
  )
}
