import type { ChildProcess } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Binaries, prepareBinaries } from './binaries.ts'
import { ensureCluster, explainFailure, superuser } from './create-cluster.ts'
import { chooseDatabaseUser } from './database-user.ts'
import { createLauncher, type Launcher } from './launcher.ts'
import { findOwner, type Layout, prepareLayout, removeShortSocket, socketPort } from './layout.ts'
import { clearLeftovers, isReady, signal } from './leftovers.ts'
import { type LogFile, openLogFile } from './log-file.ts'
import { defaultSettings } from './settings.ts'
import { watchServer } from './watchdog.ts'

export interface EmbeddedOptions {
  /** The locked data directory. */
  readonly dataDirectory: string
  readonly settings?: Readonly<Record<string, string>>
  /** Where `bin`, `lib` and `share` are, when not in the npm package. */
  readonly native?: string
  /** Crash recovery counts as starting, so this is long. */
  readonly startTimeoutMs?: number
  readonly stopTimeoutMs?: number
  readonly durable?: boolean
  /** Told about every death and every return of PostgreSQL after the first start. */
  readonly onState?: (state: EmbeddedState, detail: string) => void
}

export type EmbeddedState = 'ready' | 'restarting' | 'stopped'

export interface EmbeddedPostgres {
  readonly connection: {
    readonly host: string
    readonly port: number
    readonly user: string
    readonly database: string
  }
  readonly phases: { readonly initdbMs: number; readonly startMs: number }
  state(): EmbeddedState
  pid(): number | undefined
  /** Fast stop: running transactions are rolled back, committed ones are safe. Drain first. */
  stop(): Promise<void>
}

const restartDelaysMs = [0, 100, 250, 500, 1_000, 2_000, 5_000]

/** Starts PostgreSQL on the data directory and keeps it running until `stop`. */
export async function startPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const startedAt = performance.now()
  const binaries = await prepareBinaries(options.native)
  const user = await chooseDatabaseUser(await findOwner(options.dataDirectory))
  const layout = await prepareLayout(options.dataDirectory, user)
  const launcher = await createLauncher(
    user,
    { native: binaries.native, home: layout.home, socket: layout.socket },
    options.dataDirectory,
  )
  const initdbAt = performance.now()
  await ensureCluster({ binaries, layout, launcher, user, durable: options.durable ?? true })
  const initdbMs = performance.now() - initdbAt
  const log = await openLogFile(layout.log)
  const supervised = { options, binaries, layout, launcher, log }
  const first = await startOnce(supervised).catch(async (error: unknown) => {
    await log.close()
    throw error
  })
  const keeper = keepRunning(supervised, first)
  return {
    connection: { host: layout.socket, port: socketPort, user: superuser, database: 'postgres' },
    phases: { initdbMs, startMs: performance.now() - startedAt - initdbMs },
    ...keeper,
  }
}

interface Supervised {
  readonly options: EmbeddedOptions
  readonly binaries: Binaries
  readonly layout: Layout
  readonly launcher: Launcher
  readonly log: LogFile
}

interface Running {
  readonly pid: number
  readonly ended: Promise<string>
  hasEnded(): boolean
  dismissWatchdog(): void
}

/** Restarts PostgreSQL whenever it ends without being told to, for ever, with a bounded wait in between. */
function keepRunning(supervised: Supervised, first: Running) {
  const { options, log, layout } = supervised
  let running: Running | undefined = first
  let stopping = false
  const wake = new AbortController()

  const loop = (async () => {
    while (running !== undefined) {
      const how = await running.ended
      running.dismissWatchdog()
      running = undefined
      if (stopping) return
      options.onState?.('restarting', `PostgreSQL ended unexpectedly (${how}) and is being restarted.`)
      running = await restart(supervised, () => stopping, wake.signal)
      if (running !== undefined) options.onState?.('ready', 'PostgreSQL is back.')
    }
  })()

  return {
    state: (): EmbeddedState => (stopping ? 'stopped' : running === undefined ? 'restarting' : 'ready'),
    pid: () => running?.pid,
    async stop() {
      if (!stopping) {
        stopping = true
        wake.abort()
        if (running !== undefined) await stopProcess(running, options.stopTimeoutMs ?? 30_000)
      }
      await loop
      await log.close()
      await removeShortSocket(layout)
    },
  }
}

async function restart(
  supervised: Supervised,
  stopping: () => boolean,
  wake: AbortSignal,
): Promise<Running | undefined> {
  for (let attempt = 0; !stopping(); attempt++) {
    const delayMs = restartDelaysMs[Math.min(attempt, restartDelaysMs.length - 1)]
    await sleep(delayMs, undefined, { signal: wake }).catch(() => undefined)
    if (stopping()) return undefined
    try {
      const running = await startOnce(supervised)
      if (!stopping()) return running
      await stopProcess(running, supervised.options.stopTimeoutMs ?? 30_000)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      supervised.options.onState?.('restarting', `PostgreSQL could not be restarted yet: ${reason}`)
    }
  }
  return undefined
}

async function startOnce({ options, binaries, layout, launcher, log }: Supervised): Promise<Running> {
  await clearLeftovers(layout, options.stopTimeoutMs ?? 30_000)
  await log.mark()
  const settings = { ...defaultSettings, ...options.settings, unix_socket_directories: launcher.see(layout.socket) }
  const args = ['-D', launcher.see(layout.data), '-p', String(socketPort)]
  for (const [name, value] of Object.entries(settings)) args.push('-c', `${name}=${value}`)
  const child = launcher.launch(binaries.postgres, args, { stdio: ['ignore', log.fd, log.fd], deathSignal: 'INT' })
  const running = follow(child, launcher)
  const problem = await waitUntilReady(running, layout, options.startTimeoutMs ?? 300_000)
  if (problem === undefined) return running
  if (running.pid > 0 && !running.hasEnded()) await stopProcess(running, 5_000)
  running.dismissWatchdog()
  throw explainFailure('PostgreSQL did not start', await log.tail(), layout, problem)
}

function follow(child: ChildProcess, launcher: Launcher): Running {
  let ended = false
  const end = new Promise<string>((resolve) => {
    const finish = (how: string) => {
      ended = true
      resolve(how)
    }
    child.once('error', (error) => finish(error.message))
    child.once('exit', (code, signalName) => finish(signalName ?? `status ${code}`))
  })
  const pid = child.pid ?? 0
  const dismissWatchdog = launcher.diesWithServer || pid === 0 ? () => undefined : watchServer(pid)
  return { pid, ended: end, hasEnded: () => ended, dismissWatchdog }
}

async function waitUntilReady(running: Running, layout: Layout, timeoutMs: number): Promise<Error | undefined> {
  const deadline = performance.now() + timeoutMs
  while (!running.hasEnded()) {
    if (await isReady(layout.data, running.pid)) return undefined
    if (performance.now() > deadline) return new Error(`it was not ready after ${timeoutMs} ms`)
    await Promise.race([sleep(10), running.ended])
  }
  return new Error(`it ended with ${await running.ended}`)
}

async function stopProcess(running: Running, timeoutMs: number): Promise<void> {
  signal(running.pid, 'SIGINT')
  const timer = setTimeout(() => signal(running.pid, 'SIGKILL'), timeoutMs)
  await running.ended
  clearTimeout(timer)
}
