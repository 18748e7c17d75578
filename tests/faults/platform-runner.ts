import { type ChildProcess, spawn } from 'node:child_process'
import { appendFileSync, existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { build } from 'tsdown'
import { removeOldBuilds } from './database-runner.ts'

/** Beside the server's own dependencies and migrations, like its `dist`. */
const buildsFolder = fileURLToPath(new URL('../../apps/server/node_modules/.cache/fault-platform', import.meta.url))

let built: Promise<string> | undefined

/** The whole server, built from the sources once for the test files of a process. */
export function buildPlatform(): Promise<string> {
  built ??= buildFromSources()
  return built
}

async function buildFromSources(): Promise<string> {
  await removeOldBuilds(buildsFolder)
  const folder = join(buildsFolder, String(process.pid))
  await build({
    config: false,
    entry: { main: fileURLToPath(new URL('../../apps/server/src/main.ts', import.meta.url)) },
    outDir: folder,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    dts: false,
    clean: false,
    logLevel: 'error',
    // The daemon of machines is a folder of files beside its own module.
    deps: { skipNodeModulesBundle: true, neverBundle: ['@svc/sandboxd'] },
    inputOptions: { resolve: { conditionNames: ['svc-source', 'import', 'node', 'default'] } },
  })
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'main.mjs')
}

export interface RunningPlatform {
  readonly url: string
  /** SIGKILL: nothing of the process gets to finish anything. */
  kill(): Promise<void>
  stop(): Promise<void>
}

const startTimeoutMs = 150_000

/** What servers said, for whoever looks for the reason of a failure. */
const keptLog = process.env.SVC_TEST_SERVER_LOG

/** The platform as a process of its own, once it serves. */
export async function runPlatform(script: string, env: Record<string, string>): Promise<RunningPlatform> {
  const report = join(env.SVC_DATA_DIR ?? '', `report-${Date.now()}.json`)
  const child = spawn(process.execPath, [script], {
    env: { PATH: process.env.PATH, PORT: '0', SVC_START_REPORT: report, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output = `${output}${chunk}`.slice(-5_000)
      if (keptLog !== undefined) appendFileSync(keptLog, chunk)
    })
  }
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const url = await waitForReport(child, report, () => output)
  const end = async (signal: 'SIGKILL' | 'SIGTERM') => {
    child.kill(signal)
    await exited
  }
  return { url, kill: () => end('SIGKILL'), stop: () => end('SIGTERM') }
}

async function waitForReport(child: ChildProcess, report: string, output: () => string): Promise<string> {
  const deadline = performance.now() + startTimeoutMs
  while (performance.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`The platform ended with ${child.exitCode}: ${output()}`)
    const text = existsSync(report) ? readFileSync(report, 'utf8') : ''
    if (text !== '') return JSON.parse(text).url
    await sleep(20)
  }
  child.kill('SIGKILL')
  throw new Error(`The platform was not ready within ${startTimeoutMs} ms: ${output()}`)
}
