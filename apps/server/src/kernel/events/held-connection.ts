import postgres, { type Options, type Sql } from 'postgres'
import type { Clock } from '../clock/index.ts'
import { systemClock } from '../clock/index.ts'
import type { Logger } from '../log/index.ts'

export interface HeldConnectionOptions {
  /** Any client of the database; the held connection is opened with its settings. */
  sql: Sql
  /** Shown in `pg_stat_activity` after `svc `. */
  name: string
  log: Logger
  clock?: Clock
  /** Runs on every new connection before it counts as connected: LISTEN, advisory locks. */
  onConnect(session: Sql): Promise<void>
  onLost?(): void
  onNotification?(payload: string): void
}

export interface HeldConnection {
  isConnected(): boolean
  /** Resolves when connected, now or after the next successful attempt, and when stopped. */
  connected(): Promise<void>
  stop(): Promise<void>
}

const FIRST_RETRY_MS = 50
const LAST_RETRY_MS = 2_000
/** A peer that vanished without a word is noticed by the first heartbeat that is not answered. */
const HEARTBEAT_MS = 15_000
const HEARTBEAT_TIMEOUT_MS = 10_000
const CLOSE_TIMEOUT_MS = 2_000

/** One connection of its own for what lives as long as a session does. It is opened again whenever it is lost. */
export function holdConnection(options: HeldConnectionOptions): HeldConnection {
  const { log, clock = systemClock } = options
  const stopping = new AbortController()
  let connected = false
  let gate = createGate()

  async function run(): Promise<void> {
    let retryMs = FIRST_RETRY_MS
    while (!stopping.signal.aborted) {
      const ended = new AbortController()
      const over = AbortSignal.any([ended.signal, stopping.signal])
      const session = openSession(options, () => ended.abort())
      try {
        // The driver may leave a query unanswered for ever whose connection was cut while it was opened.
        await Promise.race([options.onConnect(session), waitForAbort(over)])
        if (!over.aborted) {
          connected = true
          gate.open()
          retryMs = FIRST_RETRY_MS
          await keepAlive(session, over, clock)
        }
      } catch (error) {
        log.warn(`the connection for ${options.name} failed`, { error })
      }
      await closeSession(session, clock)
      if (connected) {
        connected = false
        gate = createGate()
        if (!stopping.signal.aborted) options.onLost?.()
      }
      await clock.sleep(retryMs * (0.5 + Math.random() / 2), stopping.signal)
      retryMs = Math.min(retryMs * 2, LAST_RETRY_MS)
    }
    gate.open()
  }

  const running = run()
  return {
    isConnected: () => connected,
    connected: () => gate.opened,
    async stop() {
      stopping.abort()
      await running
    },
  }
}

/** A client of exactly one connection. It is thrown away with that connection, so nothing runs on a silent second one. */
function openSession(options: HeldConnectionOptions, onEnd: () => void): Sql {
  return postgres(sessionSettings(options, onEnd))
}

/** The driver takes back the settings it has parsed, as its own `listen` does; its types only know unparsed ones. */
function sessionSettings(options: HeldConnectionOptions, onEnd: () => void): Options<Record<string, never>>
function sessionSettings({ sql, name, onNotification }: HeldConnectionOptions, onEnd: () => void): object {
  return {
    ...sql.options,
    max: 1,
    idle_timeout: null,
    max_lifetime: null,
    fetch_types: false,
    connection: { ...sql.options.connection, application_name: `svc ${name}` },
    onclose: onEnd,
    onnotify: (_channel: string, payload: string) => onNotification?.(payload),
  }
}

function waitForAbort(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

async function keepAlive(session: Sql, over: AbortSignal, clock: Clock): Promise<void> {
  while (!over.aborted) {
    await clock.sleep(HEARTBEAT_MS, over)
    if (!over.aborted) await answersInTime(session, over, clock)
  }
}

async function answersInTime(session: Sql, over: AbortSignal, clock: Clock): Promise<void> {
  const late = clock.sleep(HEARTBEAT_TIMEOUT_MS, over).then(() => {
    if (!over.aborted) throw new Error('the database does not answer')
  })
  await Promise.race([session`select 1`, late])
}

/** A connection that is already broken cannot say goodbye; the driver may wait for it for ever, we do not. */
async function closeSession(session: Sql, clock: Clock): Promise<void> {
  const closed = new AbortController()
  const end = session
    .end({ timeout: 1 })
    .catch(() => undefined)
    .finally(() => closed.abort())
  await Promise.race([end, clock.sleep(CLOSE_TIMEOUT_MS, closed.signal)])
}

function createGate(): { opened: Promise<void>; open: () => void } {
  let open = (): void => undefined
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open }
}
