import type { Clock } from '../../kernel/clock/index.ts'
import type { Logger } from '../../kernel/log/index.ts'
import type { LogRow } from './store.ts'
import type { Target } from './target.ts'

/**
 * `ok`: it ended in the usual way. `cut`: one side broke off. `refused_rules`: not on the project's list.
 * `refused_address`: it leads to a private address. `refused_secret`: the substitution said no.
 */
export type Outcome =
  | 'ok'
  | 'cut'
  | 'unreachable'
  | 'timeout'
  | 'refused_rules'
  | 'refused_address'
  | 'refused_secret'
  | 'refused_certificate'

export interface Connection {
  readonly projectId: string
  readonly sandboxId: string
  readonly target: Target
  readonly outcome: Outcome
  readonly bytesIn: number
  readonly bytesOut: number
  readonly startedAt: Date
}

export interface ConnectionLog {
  note(connection: Connection): void
  /** Writes what waits. */
  flush(): Promise<void>
  stop(): Promise<void>
}

export interface ConnectionLogOptions {
  readonly write: (rows: readonly LogRow[]) => Promise<void>
  readonly clock: Clock
  readonly log: Logger
  readonly everyMs?: number
}

const maxHostLength = 255
const rowsPerMachine = 200
const rowsWaiting = 20_000

/**
 * Gathers connections and writes them once a second. Those of one machine to one place with one outcome become one
 * row with their number and bytes; past two hundred places a second, a machine's others share the row `*`. So no
 * sandbox can fill the table or the memory, and none of its connections goes uncounted.
 */
export function createConnectionLog({ write, clock, log, everyMs = 1_000 }: ConnectionLogOptions): ConnectionLog {
  let rows = new Map<string, Mutable>()
  let perMachine = new Map<string, number>()
  let lost = 0
  let writing: Promise<void> | undefined
  const timer = setInterval(() => void flush(), everyMs)
  timer.unref()

  function note({ projectId, sandboxId, target, outcome, bytesIn, bytesOut, startedAt }: Connection): void {
    const key = `${sandboxId} ${target.host} ${target.port} ${outcome}`
    const row = rows.get(key) ?? addRow(key)
    if (!row) return
    row.connections += 1
    row.bytesIn += bytesIn
    row.bytesOut += bytesOut
    row.endedAt = new Date(clock.nowMs())
    if (startedAt < row.startedAt) row.startedAt = startedAt

    function addRow(at: string): Mutable | undefined {
      const machineRows = perMachine.get(sandboxId) ?? 0
      const isMany = machineRows >= rowsPerMachine
      const sharedKey = isMany ? `${sandboxId} * ${outcome}` : at
      const shared = rows.get(sharedKey)
      if (shared) return shared
      if (rows.size >= rowsWaiting) {
        lost += 1
        return undefined
      }
      perMachine.set(sandboxId, machineRows + 1)
      const host = isMany ? '*' : target.host.slice(0, maxHostLength)
      const made = { ...empty(startedAt), projectId, sandboxId, host, port: isMany ? 0 : target.port, outcome }
      rows.set(sharedKey, made)
      return made
    }
  }

  async function flush(): Promise<void> {
    if (writing) return writing
    if (rows.size === 0) return
    const batch = [...rows.values()]
    rows = new Map()
    perMachine = new Map()
    if (lost > 0) log.warn('connections of sandboxes were not logged: the database does not keep up', { lost })
    lost = 0
    writing = write(batch)
      .catch((error: unknown) =>
        log.error('the log of connections could not be written', { rows: batch.length, error }),
      )
      .finally(() => {
        writing = undefined
      })
    return writing
  }

  return {
    note,
    flush,
    async stop() {
      clearInterval(timer)
      await writing
      await flush()
    },
  }
}

type Mutable = { -readonly [Key in keyof LogRow]: LogRow[Key] }

const empty = (startedAt: Date) => ({ connections: 0, bytesIn: 0, bytesOut: 0, startedAt, endedAt: startedAt })
