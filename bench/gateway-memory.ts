import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { measureRate } from './support/gateway/drive.ts'
import { pidFile, startGateway, startUpstream } from './support/gateway/servers.ts'
import { type GatewayBench, withGateway } from './support/gateway/world.ts'
import { formatTable, median } from './support/rounds.ts'
import { serveSide } from './support/sides.ts'

/**
 * What the gateway holds in memory over many calls, and while 60 bodies of 8 MiB arrive at once. Bounds: the second half
 * of the calls adds at most a twentieth, and the bodies beyond the room there is get 503 with `Retry-After`. The medians of
 * the halves are shown too: a collection more or less moves single readings.
 */

const servers = { upstream: startUpstream, gateway: startGateway }
if (process.env.SVC_BENCH_SIDE) await serveSide(servers)

const calls = Number(process.env.SVC_BENCH_CALLS ?? 200_000)
const steps = 8
const bodies = 60
const mebibyte = 1024 * 1024

export async function run(): Promise<void> {
  await withGateway(fileURLToPath(import.meta.url), Object.keys(servers), async (bench) => {
    await reportCalls(bench)
    await reportBodies(bench)
  })
}

async function reportCalls({ side, key }: GatewayBench): Promise<void> {
  const target = {
    name: 'gateway',
    port: side('gateway').port,
    path: '/v1/llm/chat/completions',
    headers: { authorization: `Bearer ${key}` },
  }
  const seen: number[] = []
  for (let step = 0; step < steps; step++) {
    await measureRate(target, { isStream: step % 4 === 3 }, Math.ceil(calls / steps))
    seen.push(readMemory())
  }
  const halves = [seen.slice(0, steps / 2), seen.slice(steps / 2)]
  const [half = 0, end = 0] = halves.map((values) => Math.max(...values))
  const [halfMedian = 0, endMedian = 0] = halves.map(median)
  console.log(`resident memory (MiB) over ${calls} calls, a quarter of them streams`)
  const head = seen.map((_, step) => String(Math.round(((step + 1) * calls) / steps)))
  console.log(formatTable([...head, 'drift (<= 1.05)'], [[...seen.map(show), judge(end / half, end <= half * 1.05)]]))
  console.log(`medians of the halves: ${show(halfMedian)} and ${show(endMedian)}`)
}

async function reportBodies({ side, key }: GatewayBench): Promise<void> {
  const before = readMemory()
  let peak = before
  const watching = setInterval(() => {
    peak = Math.max(peak, readMemory())
  }, 50)
  const body = Buffer.from(
    JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'x'.repeat(8 * mebibyte) }], max_tokens: 10 }),
  )
  const url = `http://127.0.0.1:${side('gateway').port}/v1/llm/chat/completions`
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const answers = await Promise.all(
    Array.from({ length: bodies }, async () => {
      const { status, headers: told, ...answer } = await ask(url, headers, body)
      return { status, mayReturn: told.has('retry-after'), ...answer }
    }),
  )
  clearInterval(watching)
  const served = answers.filter(({ status }) => status === 200).length
  const shed = answers.filter(({ status, mayReturn }) => status === 503 && mayReturn).length
  console.log(`\n${bodies} bodies of 8 MiB at once`)
  const rows = [[String(served), judge(shed, served + shed === bodies), show(before), show(peak)]]
  console.log(formatTable(['answered', '503 with Retry-After (the rest)', 'MiB before', 'MiB at most'], rows))
}

async function ask(url: string, headers: Record<string, string>, body: Buffer) {
  const answer = await fetch(url, { method: 'POST', headers, body })
  await answer.arrayBuffer()
  return { status: answer.status, headers: answer.headers }
}

/** Of the server's process, in KiB. */
function readMemory(): number {
  const pid = readFileSync(pidFile('gateway'), 'utf8')
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', pid], { encoding: 'utf8' }))
}

function show(kibibytes: number): string {
  return (kibibytes / 1_024).toFixed(0)
}

function judge(value: number, isMet: boolean): string {
  return `${Number.isInteger(value) ? value : value.toFixed(2)} ${isMet ? 'ok' : 'MISSED'}`
}
