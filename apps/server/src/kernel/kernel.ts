import { type Clock, systemClock } from './clock/index.ts'
import type { Config } from './config.ts'
import {
  createEnvelope,
  type Envelope,
  loadMasterKeys,
  loadTokenHasher,
  MasterKeyError,
  type TokenHasher,
} from './crypto/index.ts'
import { openDataDirectory } from './data-directory/index.ts'
import { type Database, type EmbeddedState, openDatabase } from './database/index.ts'
import { type Events, startEvents } from './events/index.ts'
import type { Logger } from './log/index.ts'
import { addProcessGauges, createMetrics, type Metrics } from './metrics/index.ts'
import { createOutbound, type Outbound } from './outbound/index.ts'
import { createRateLimits, type RateLimits } from './rate-limit/index.ts'
import { StartError } from './start-error.ts'

/** What every capability stands on. */
export interface Kernel {
  readonly config: Config
  readonly log: Logger
  readonly clock: Clock
  readonly database: Database
  readonly events: Events
  readonly rateLimits: RateLimits
  readonly envelope: Envelope
  readonly tokenHasher: TokenHasher
  readonly outbound: Outbound
  readonly metrics: Metrics
}

/** Parts register how they stop; whoever starts them stops them in reverse. */
export type OnStop = (stop: () => void | Promise<void>) => void

export interface KernelOptions {
  readonly config: Config
  readonly log: Logger
  readonly clock?: Clock
  readonly onStop: OnStop
}

export async function startKernel({ config, log, clock = systemClock, onStop }: KernelOptions): Promise<Kernel> {
  const dataDirectory = await openDataDirectory(config.dataDir)
  onStop(() => dataDirectory.release())
  const database = await openDatabase({
    dataDirectory,
    ...(config.databaseUrl === undefined ? {} : { databaseUrl: config.databaseUrl }),
    embedded: { onState: (state, detail) => logState(log, state, detail) },
    onProblem: (message, error) => log.error(message, { error }),
  })
  onStop(() => database.close())
  const { masterKeys, tokenHasher } = await loadKeys(config, database)
  const events = await startEvents({ sql: database.sql, log, clock })
  onStop(() => events.stop())
  database.usePublisher(events.publisher)
  const outbound = createOutbound({ allowPrivate: config.allowPrivateHosts })
  onStop(() => outbound.stop())
  const metrics = createMetrics()
  addProcessGauges(metrics)
  return {
    config,
    log,
    clock,
    database,
    events,
    rateLimits: createRateLimits({ sql: database.sql }),
    envelope: createEnvelope({ sql: database.sql, masterKeys, clock }),
    tokenHasher,
    outbound,
    metrics,
  }
}

/** Told after the first start only: the database died, could not come back yet, or came back. */
function logState(log: Logger, state: EmbeddedState, detail: string): void {
  if (state === 'ready') log.info(detail)
  else log.warn(detail, { next: 'It is restarted by itself. If it does not come back, run: npm run doctor' })
}

async function loadKeys(config: Config, { sql }: Database) {
  try {
    const masterKeys = await loadMasterKeys({ dataDir: config.dataDir, environmentValue: config.masterKey, sql })
    return { masterKeys, tokenHasher: await loadTokenHasher(sql, masterKeys) }
  } catch (error) {
    if (!(error instanceof MasterKeyError)) throw error
    throw new StartError(`The master key cannot be used: ${error.message}`, masterKeyFix, { cause: error })
  }
}

const masterKeyFix =
  'Put the key that was in use before back into SVC_MASTER_KEY or the master-key file, and start again.'
