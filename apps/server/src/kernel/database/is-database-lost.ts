import { causesOf } from '../causes.ts'
import type { Connection } from './connection.ts'

/** SQLSTATEs of a server that goes, comes or is not there: connection exceptions and shutdowns. */
const lostStates = /^(?:08...|57P0[123])$/
/** What the two drivers call it when the server hung up or never answered. */
const driverCodes = new Set(['CONNECTION_CLOSED', 'CONNECTION_DESTROYED', 'CONNECTION_ENDED', 'CONNECT_TIMEOUT'])
/** What a query meets whose connection was cut while it was written or read. */
const socketCodes = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT'])
const driverSentences =
  /^(?:Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|The connection to the database was lost)/

/**
 * Whether something failed because PostgreSQL is away: it restarts, was killed or cannot be reached. Then nobody is at
 * fault, and whoever asks again in a moment is answered.
 */
export function isDatabaseLost(error: unknown, { host, port }: Connection): boolean {
  let isQuery = false
  for (const at of causesOf(error)) {
    const { code, address, port: portOf }: SocketError = at
    if (typeof code === 'string' && (lostStates.test(code) || driverCodes.has(code))) return true
    if (driverSentences.test(at.message)) return true
    // One driver notes the query on the socket's own error, the other on one around it.
    isQuery ||= 'query' in at
    if (isQuery && typeof code === 'string' && socketCodes.has(code)) return true
    // A socket's own error counts only when it was ours to the database: others have faults of their own.
    if (address !== undefined && (portOf === port || (host.startsWith('/') && address.startsWith(host)))) return true
  }
  return false
}

type SocketError = Error & { code?: unknown; address?: string; port?: number }
