import { fileURLToPath } from 'node:url'
import { type Kind, measureRate, measureTimes, type Target } from './support/gateway/drive.ts'
import { startBare, startGateway, startPortkey, startUpstream } from './support/gateway/servers.ts'
import { type GatewayBench, withGateway } from './support/gateway/world.ts'
import { alternate, formatTable, median } from './support/rounds.ts'
import { serveSide } from './support/sides.ts'

/**
 * Calls of a model through the whole gateway (key, access, budget, journal and log on) beside a direct call, a bare
 * pass-through by undici, and Portkey's gateway, all to the same fake upstream. Bounds: ten times Portkey's rate of
 * documents and four times its rate of streams, half of the bare pass-through, and at the median at most 3 ms more than
 * direct to the first byte of a stream. `SVC_BENCH_ONLY=document` measures only the kinds of calls whose name begins so.
 */

export const needsPeers = true

const servers = { upstream: startUpstream, 'bare undici': startBare, portkey: startPortkey, gateway: startGateway }
if (process.env.SVC_BENCH_SIDE) await serveSide(servers)

const rounds = 3

export async function run(): Promise<void> {
  await withGateway(fileURLToPath(import.meta.url), Object.keys(servers), async (bench) => {
    const targets = describeTargets(bench)
    await reportRates(targets)
    for (const isStream of new Set(kinds.map((kind) => kind.isStream))) await reportTimes(targets, isStream)
  })
}

function describeTargets({ side, key }: GatewayBench): readonly Target[] {
  const headers = { authorization: `Bearer ${key}` }
  const custom = `http://127.0.0.1:${side('upstream').port}/v1`
  const forPortkey = { 'x-portkey-provider': 'openai', 'x-portkey-custom-host': custom }
  const at = (name: string, path: string, more: Record<string, string> = {}): Target => ({
    name,
    port: side(name).port,
    path,
    headers: { ...headers, ...more },
  })
  return [
    at('gateway', '/v1/llm/chat/completions'),
    at('bare undici', '/v1/chat/completions'),
    at('portkey', '/v1/chat/completions', forPortkey),
    at('upstream', '/v1/chat/completions'),
  ]
}

const allKinds: readonly (Kind & { name: string; calls: number })[] = [
  { name: 'document', isStream: false, calls: 4_000 },
  { name: 'document, prompt of 64 KiB', isStream: false, promptKib: 64, calls: 2_000 },
  { name: 'stream of 20 events', isStream: true, calls: 2_000 },
]
const kinds = allKinds.filter(({ name }) => name.startsWith(process.env.SVC_BENCH_ONLY ?? ''))

async function reportRates(targets: readonly Target[]): Promise<void> {
  const rows: string[][] = []
  for (const kind of kinds) {
    // Portkey is so much slower that the same number of calls would take most of the time of the bench.
    const share = (name: string) => (name === 'portkey' ? kind.calls / 4 : kind.calls)
    const rates = await alternate(rounds, targets, (target) => measureRate(target, kind, share(target.name)))
    const [ours = 0, bare = 1, portkey = 1] = rates
    const peer = kind.isStream ? 4 : 10
    rows.push([
      kind.name,
      ...rates.map((rate) => `${Math.round(rate)}/s`),
      judge(ours / bare, ours / bare >= 0.5),
      judge(ours / portkey, ours / portkey >= peer),
      (bare / portkey).toFixed(2),
    ])
  }
  console.log(`calls per second, median of ${rounds} alternated rounds, 16 connections`)
  const bounds = ['of bare (>= 0.5)', 'of portkey (>= 10, 4)', 'bare of portkey']
  console.log(formatTable(['call', 'gateway', 'bare undici', 'portkey', 'direct', ...bounds], rows))
}

async function reportTimes(targets: readonly Target[], isStream: boolean): Promise<void> {
  const times = new Map<string, number[]>(targets.map(({ name }) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    for (const target of targets) {
      const count = target.name === 'portkey' ? 30 : 100
      times.get(target.name)?.push(...(await measureTimes(target, isStream, count)))
    }
  }
  const direct = times.get('upstream') ?? []
  const rows = [...times].map(([name, values]) => {
    const added = median(values) - median(direct)
    const shown = [median(values), percentile(values, 0.99), percentile(values, 0.99) - percentile(direct, 0.99)]
    const isBound = isStream && name === 'gateway'
    return [name, ...shown.map((value) => value.toFixed(2)), isBound ? judge(added, added <= 3) : added.toFixed(2)]
  })
  console.log(`\nmilliseconds ${isStream ? 'to the first byte of a stream' : 'of a document'}, one call at a time`)
  console.log(formatTable(['side', 'median', 'p99', 'added p99', 'added median (stream <= 3)'], rows))
}

function percentile(values: readonly number[], share: number): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length * share)] ?? 0
}

function judge(value: number, isMet: boolean): string {
  return `${value.toFixed(2)} ${isMet ? 'ok' : 'MISSED'}`
}
