import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { listMachineProcesses } from '../tests/faults/sessions-rig.ts'
import { newMessageId } from '../tests/sessions/session-world.ts'
import { formatTable, median } from './support/rounds.ts'
import { type BenchRig, createSession, scriptOf, startBenchRig, waitUntilReady } from './support/session-rig.ts'

/**
 * Twenty sessions at once on this machine: what each takes of its memory while it waits and while it works, and how quickly
 * the API answers meanwhile. Bound: an idle session in 500 MB, and the API within a second at p95 while all start.
 */

const count = Number(process.env.SVC_BENCH_SESSIONS ?? 20)
const maxIdleMb = 500
const maxLatencyMs = 1_000

export async function run(): Promise<void> {
  const rig = await startBenchRig({ SVC_MAX_MACHINES: String(count) })
  try {
    const quiet = await whileProbing(rig, () => sleep(3_000))
    const ids: string[] = []
    const starting = await whileProbing(rig, async () => {
      for (let index = 0; index < count; index += 1) ids.push(await createSession(rig))
      for (const id of ids) await waitUntilReady(rig, id)
    })
    const idle = await whileProbing(rig, () => sleep(5_000))
    const idleMb = await measureMemory(rig, ids.length)
    let activeMb = 0
    const active = await whileProbing(rig, async () => {
      for (const id of ids) await send(rig, id)
      await sleep(8_000)
      activeMb = await measureMemory(rig, ids.length)
    })
    const row = (what: string, { latencies, tookMs }: Probed) => [
      what,
      `${(tookMs / 1000).toFixed(1)} s`,
      `${percentile(latencies, 0.5).toFixed(1)} ms`,
      `${percentile(latencies, 0.95).toFixed(1)} ms`,
    ]
    console.log(
      formatTable(
        [`${count} sessions`, 'took', 'API p50', 'API p95'],
        [row('before', quiet), row('all start', starting), row('all idle', idle), row('all at work', active)],
      ),
    )
    console.log(`memory per session: ${idleMb.toFixed(0)} MB idle, ${activeMb.toFixed(0)} MB at work`)
    require(idleMb <= maxIdleMb, `an idle session takes ${idleMb.toFixed(0)} MB; at most ${maxIdleMb}`)
    const p95 = percentile(starting.latencies, 0.95)
    require(p95 <=
      maxLatencyMs, `the API answers in ${p95.toFixed(0)} ms at p95 while all start; at most ${maxLatencyMs}`)
  } finally {
    await rig.remove()
  }
}

async function send({ call, base }: BenchRig, sessionId: string): Promise<void> {
  await call(`POST ${base}/sessions/${sessionId}/prompts`, {
    client_message_id: randomUUID(),
    message_id: newMessageId(),
    parts: [{ type: 'text', text: scriptOf('say Working.', 'run sleep 15', 'finish') }],
  })
}

interface Probed {
  readonly latencies: number[]
  readonly tookMs: number
}

/** One request at a time, again and again, until the work is done. */
async function whileProbing({ call }: BenchRig, work: () => Promise<unknown>): Promise<Probed> {
  const latencies: number[] = []
  const startedAt = performance.now()
  let isDone = false
  const working = work().finally(() => {
    isDone = true
  })
  while (!isDone) {
    const askedAt = performance.now()
    await call('GET /v1/accounts')
    latencies.push(performance.now() - askedAt)
    await sleep(20)
  }
  await working
  return { latencies, tookMs: performance.now() - startedAt }
}

/** What the processes of machines hold, shared pages counted in parts; the median of the machines. */
async function measureMemory({ path }: BenchRig, expected: number): Promise<number> {
  const perMachine = new Map<string, number>()
  for (const [pid, externalId] of await listMachineProcesses(path)) {
    perMachine.set(externalId, (perMachine.get(externalId) ?? 0) + readPssMb(pid))
  }
  if (perMachine.size !== expected) throw new Error(`${perMachine.size} of ${expected} machines run`)
  return median([...perMachine.values()])
}

function readPssMb(pid: number): number {
  try {
    const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
    return Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1] ?? 0) / 1024
  } catch {
    // It ended meanwhile.
    return 0
  }
}

function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

function require(isKept: boolean, what: string): void {
  console.log(`${isKept ? '\u2713' : '\u2717'} ${what}`)
  if (!isKept) process.exitCode = 1
}
