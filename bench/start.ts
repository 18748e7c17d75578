import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { formatTable, median } from './support/rounds.ts'

/**
 * From the command to a server that answers, everything built: cold on an empty data directory (initdb included),
 * warm on the one left behind. Bound: warm within 3 s.
 */

const rounds = 5
const warmBoundMs = 3_000

interface Report {
  phases: Record<string, number>
  totalMs: number
}

interface Start extends Report {
  /** Measured from outside, so that Node's own start counts too. */
  wallMs: number
}

export async function run(): Promise<void> {
  const cold: Start[] = []
  const warm: Start[] = []
  for (let round = 0; round < rounds; round += 1) {
    const folder = mkdtempSync(join(tmpdir(), 'svc-bench-start-'))
    try {
      cold.push(await startOnce(folder))
      warm.push(await startOnce(folder))
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
  console.log(`milliseconds to ready, median of ${rounds} rounds, with the share of each phase`)
  console.log(formatTable(['phase', 'cold', 'share', 'warm', 'share'], listRows(cold, warm)))
  const warmMs = median(warm.map(({ wallMs }) => wallMs))
  console.log(`warm within ${warmBoundMs} ms: ${warmMs <= warmBoundMs ? 'ok' : 'MISSED'}`)
}

async function startOnce(folder: string): Promise<Start> {
  const report = join(folder, 'start.json')
  rmSync(report, { force: true })
  const startedAt = performance.now()
  const server = spawn(process.execPath, ['scripts/start.mjs'], {
    env: { ...process.env, PORT: '0', SVC_DATA_DIR: join(folder, 'data'), SVC_START_REPORT: report },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const found = await waitForReport(server, report)
  const wallMs = performance.now() - startedAt
  server.kill('SIGTERM')
  await once(server, 'exit')
  return { ...found, wallMs }
}

async function waitForReport(server: ChildProcess, path: string): Promise<Report> {
  while (server.exitCode === null) {
    if (existsSync(path)) {
      const text = readFileSync(path, 'utf8')
      if (text.endsWith('}')) return JSON.parse(text)
    }
    await sleep(5)
  }
  throw new Error(`The server ended with ${server.exitCode} before it was ready.`)
}

function listRows(cold: readonly Start[], warm: readonly Start[]): string[][] {
  const names = Object.keys({ ...cold[0]?.phases, ...warm[0]?.phases })
  const phase = (starts: readonly Start[], name: string) => median(starts.map(({ phases }) => phases[name] ?? 0))
  const wall = (starts: readonly Start[]) => median(starts.map(({ wallMs }) => wallMs))
  const rest = (starts: readonly Start[]) => median(starts.map(({ wallMs, totalMs }) => wallMs - totalMs))
  const row = (name: string, coldMs: number, warmMs: number) => [
    name,
    coldMs.toFixed(0),
    share(coldMs, wall(cold)),
    warmMs.toFixed(0),
    share(warmMs, wall(warm)),
  ]
  return [
    ...names.map((name) => row(name.replace(/Ms$/, ''), phase(cold, name), phase(warm, name))),
    row('node and modules', rest(cold), rest(warm)),
    row('total', wall(cold), wall(warm)),
  ]
}

const share = (ms: number, totalMs: number) => `${((100 * ms) / totalMs).toFixed(0)} %`
