export { type ConnectedDatabase, type ConnectOptions, connectDatabase } from './connect-database.ts'
export { type Connection, connectionString, parseConnectionString } from './connection.ts'
export type { EmbeddedState } from './embedded/start-postgres.ts'
export { isDatabaseLost } from './is-database-lost.ts'
export { type Database, type DatabaseOptions, openDatabase, type StartPhases } from './open-database.ts'
export type { Sql } from './pool.ts'
export { hasSqlState, refusedData, uniqueViolation } from './sql-state.ts'
export type {
  Drizzle,
  DrizzleTransaction,
  EnqueuableJob,
  EnqueueOptions,
  PublishedEvent,
  Publisher,
  Transact,
  TransactOptions,
  Tx,
} from './transact.ts'
