import { writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Config, readConfig } from './kernel/config.ts'
import { createConfiguredLogger } from './kernel/log/index.ts'
import { StartError } from './kernel/start-error.ts'
import { type Platform, startPlatform } from './platform.ts'

/** Start, say where, drain on a signal, stop. */

const config = readConfigOrLeave()
const isTerminal = process.stdout.isTTY === true
const log = createConfiguredLogger(config, { isTerminal, isColoured: !process.env.NO_COLOR })
let platform: Platform | undefined
let stoppingSinceMs: number | undefined

// A terminal that closes sends SIGHUP.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void leave(0))
process.on('uncaughtException', (error) => {
  log.error('the server met an error it cannot go on from', { error })
  void leave(1)
})

/** A start that hangs does not keep a signal waiting for longer than this. */
const startBoundMs = 15_000
const starting = start()

/** A signal during the start waits for it: half a start is never left behind. */
async function start(): Promise<void> {
  try {
    const startedAtMs = performance.now()
    platform = await startPlatform(config, log)
    announce(platform, performance.now() - startedAtMs, config.startReport)
  } catch (error) {
    if (!StartError.isInstance(error)) log.error('the server could not start', { error })
    if (StartError.isInstance(error)) tell(error)
    log.flush()
    process.exit(1)
  }
}

/** There is no log before there is a configuration that says how to log. */
function readConfigOrLeave(): Config {
  try {
    return readConfig()
  } catch (error) {
    if (!StartError.isInstance(error)) throw error
    tell(error)
    process.exit(1)
  }
}

function tell({ message, fix }: StartError): void {
  process.stderr.write(`\n✗ ${message}\n  ${fix}\n\n`)
}

function announce({ url, phases, version, firstRunUrl }: Platform, serverMs: number, report: string | undefined): void {
  const setupMs = Number(process.env.SVC_SETUP_MS ?? 0)
  const all = { setupMs, ...phases }
  const totalMs = setupMs + serverMs
  const shares = Object.entries(all)
    .filter(([, ms]) => ms >= 1)
    .map(([name, ms]) => `${name.replace(/Ms$/, '')} ${seconds(ms)}`)
  process.stdout.write(`\n  svc ${version} is ready in ${seconds(totalMs)} (${shares.join(', ')})\n\n  Open ${url}\n\n`)
  if (firstRunUrl !== undefined) {
    process.stdout.write(`  Nobody owns this instance yet. Become its owner, once, at\n\n  ${firstRunUrl}\n\n`)
  }
  if (report !== undefined) writeFileSync(report, JSON.stringify({ phases: all, totalMs, url }))
}

/**
 * The first signal drains. Ctrl-C reaches this process twice, once by its group and once handed on by npm, so only a
 * signal that comes later than that leaves at once.
 */
async function leave(code: number): Promise<void> {
  if (stoppingSinceMs !== undefined) {
    if (performance.now() - stoppingSinceMs > 1_000) process.exit(code || 130)
    return
  }
  stoppingSinceMs = performance.now()
  await Promise.race([starting, sleep(startBoundMs)])
  if (platform) process.stdout.write('Stopping: finishing what runs, then closing the database …\n')
  await platform?.stop()
  log.flush()
  process.exit(code)
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`
}
