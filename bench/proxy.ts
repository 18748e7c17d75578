import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { listMachineProcesses } from '../tests/faults/sessions-rig.ts'
import { formatTable, median } from './support/rounds.ts'
import {
  type BenchRig,
  createSession,
  scriptOf,
  startBenchRig,
  waitUntilIdle,
  waitUntilReady,
} from './support/session-rig.ts'

/**
 * A program in a machine, through `/v1/p` and directly: a client in the machine's own network. Answers of 4 MB, a stream of
 * 1,000 events a second, one download of 1 GB, and what the way through the proxy adds to a small request.
 * Bound: through the proxy at least 0.7 of direct. A caller has 600 requests a minute, so rates are of bytes and events.
 * Judged by a server's first requests; what it reaches after some thousands is shown beside them.
 */

const minRatio = 0.7
const rounds = 3
const warmings = 6
const runFile = promisify(execFile)

const app = `import { createServer } from 'node:http'
const block = Buffer.alloc(262144, 120)
createServer((req, res) => {
  const size = Number(new URL(req.url, 'http://x').searchParams.get('bytes') ?? 0)
  if (req.url.startsWith('/events')) {
    res.writeHead(200, { 'content-type': 'text/event-stream' })
    let sent = 0
    const startedAt = performance.now()
    const timer = setInterval(() => {
      const due = Math.min(5000, Math.floor(performance.now() - startedAt))
      let text = ''
      while (sent < due) { sent += 1; text += 'data: ' + Date.now() + ' ' + 'x'.repeat(200) + '\\n\\n' }
      if (text) res.write(text)
      if (sent >= 5000) { clearInterval(timer); res.end() }
    }, 1)
    req.on('close', () => clearInterval(timer))
    return
  }
  res.writeHead(200, { 'content-length': size })
  let left = size
  const pump = () => {
    while (left > 0) {
      const piece = left >= block.length ? block : block.subarray(0, left)
      left -= piece.length
      if (!res.write(piece) && left > 0) return res.once('drain', pump)
    }
    res.end()
  }
  pump()
}).listen(3000, '127.0.0.1')
`

/** Run as a process of its own on either side: what it prints is one number per line. */
const client = `import { request, Agent } from 'node:http'
const [base, what, authorization] = process.argv.slice(2)
const agent = new Agent({ keepAlive: true })
const get = (path, onData) => new Promise((resolve, reject) => {
  const headers = authorization ? { authorization } : {}
  const asked = request(base + path, { headers, agent }, (answered) => {
    if (answered.statusCode !== 200) return reject(new Error(path + ' answered ' + answered.statusCode))
    let bytes = 0
    answered.on('data', (chunk) => { bytes += chunk.length; onData?.(chunk) })
    answered.on('end', () => resolve(bytes))
    answered.on('error', reject)
  })
  asked.on('error', reject)
  asked.end()
})
const timed = async (work) => { const at = performance.now(); await work(); return performance.now() - at }
const megabytesPerSecond = (bytes, ms) => bytes / 1e6 / (ms / 1000)
const large4 = (count) => Promise.all([1, 2, 3, 4].map(async () => { for (let i = 0; i < count; i += 1) await get('/?bytes=4000000') }))
await get('/?bytes=1')
if (what === 'warm') {
  for (let i = 0; i < 350; i += 1) await get('/?bytes=1')
  await large4(40)
  process.exit(0)
}
const small = []
for (let i = 0; i < 60; i += 1) small.push(await timed(() => get('/?bytes=1')))
small.sort((a, b) => a - b)
const many = await timed(() => large4(10))
let events = 0
const lags = []
const eventsMs = await timed(() => get('/events', (chunk) => {
  const now = Date.now()
  for (const [, at] of chunk.toString('latin1').matchAll(/data: (\\d+) /g)) { events += 1; lags.push(now - Number(at)) }
}))
lags.sort((a, b) => a - b)
const large = 1e9
const largeMs = await timed(() => get('/?bytes=' + large))
console.log(JSON.stringify({
  smallMs: small[30], manyRate: megabytesPerSecond(160e6, many), eventRate: events / (eventsMs / 1000),
  lagMs: lags[Math.floor(lags.length * 0.95)], largeRate: megabytesPerSecond(large, largeMs),
}))
agent.destroy()
`

interface Figures {
  readonly smallMs: number
  readonly manyRate: number
  readonly eventRate: number
  readonly lagMs: number
  readonly largeRate: number
}

export async function run(): Promise<void> {
  if (process.getuid?.() !== 0) throw new Error('Only root gets into the network of a machine without the proxy.')
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-proxy-'))
  const script = join(folder, 'client.mjs')
  writeFileSync(script, client)
  const rig = await startBenchRig()
  try {
    const { externalId, pid } = await startApp(rig)
    const url = `${rig.url()}/v1/p/${externalId}/3000`
    const inside = ['-t', String(pid), '-n', process.execPath, script, 'http://127.0.0.1:3000']
    const askDirectly = (what: string) => load('nsenter', [...inside, what])
    const askThrough = (what: string) => load(process.execPath, [script, url, what, rig.person.headers.authorization])
    const measure = async (count: number) => {
      const sides: Sides = { direct: [], proxied: [] }
      for (let round = 0; round < count; round += 1) {
        await forgetRate(rig)
        sides.direct.push(read(await askDirectly('measure')))
        sides.proxied.push(read(await askThrough('measure')))
      }
      return sides
    }
    const first = await measure(rounds)
    for (let warming = 0; warming < warmings; warming += 1) {
      await forgetRate(rig)
      await askDirectly('warm')
      await askThrough('warm')
    }
    report(first, await measure(rounds))
  } finally {
    await rig.remove()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function startApp(rig: BenchRig): Promise<{ externalId: string; pid: number }> {
  const text = scriptOf(
    `write app.mjs: ${app.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}`,
    'run nohup node app.mjs > app.log 2>&1 & sleep 1; cat app.log',
    'finish',
  )
  const sessionId = await createSession(rig, { pending_prompt: { text } })
  const started = await waitUntilReady(rig, sessionId)
  await waitUntilIdle(rig, sessionId)
  const externalId = /sb[0-9a-z]{18}/.exec(String(started.runtime_url))?.[0] ?? ''
  const [pid = 0] = (await listMachineProcesses(rig.path)).keys()
  return { externalId, pid }
}

/** The limit of requests a minute is not what is measured. */
async function forgetRate(rig: BenchRig): Promise<void> {
  await rig.query((sql) => sql`delete from svc.rate_limits`)
}

async function load(command: string, args: string[]): Promise<string> {
  return (await runFile(command, args, { timeout: 300_000 })).stdout
}

const read = (printed: string) => JSON.parse(printed) as Figures

interface Sides {
  readonly direct: Figures[]
  readonly proxied: Figures[]
}

function report({ direct, proxied }: Sides, warm: Sides): void {
  const of = (list: readonly Figures[], name: keyof Figures) => median(list.map((one) => one[name]))
  const row = (label: string, name: keyof Figures, unit: string, sides: Sides = { direct, proxied }) => {
    const [near, far] = [of(sides.direct, name), of(sides.proxied, name)]
    return [label, `${near.toFixed(1)} ${unit}`, `${far.toFixed(1)} ${unit}`, (far / near).toFixed(2)]
  }
  const added = of(proxied, 'smallMs') - of(direct, 'smallMs')
  console.log(
    formatTable(
      ['', 'direct', 'through the proxy', 'ratio'],
      [
        row('answers of 4 MB, 4 at once', 'manyRate', 'MB/s'),
        row('the same, a warm server', 'manyRate', 'MB/s', warm),
        row('stream of 1,000 events/s', 'eventRate', 'events/s'),
        row('one download of 1 GB', 'largeRate', 'MB/s'),
        ['a small request', `${of(direct, 'smallMs').toFixed(2)} ms`, `+${added.toFixed(2)} ms`, ''],
        ['events come after, p95', `${of(direct, 'lagMs')} ms`, `${of(proxied, 'lagMs')} ms`, ''],
      ],
    ),
  )
  for (const [what, name] of [
    ['answers', 'manyRate'],
    ['events', 'eventRate'],
    ['the download', 'largeRate'],
  ] as const) {
    const ratio = of(proxied, name) / of(direct, name)
    const isKept = ratio >= minRatio
    console.log(
      `${isKept ? '\u2713' : '\u2717'} ${what} through the proxy: ${ratio.toFixed(2)} of direct; at least ${minRatio}`,
    )
    if (!isKept) process.exitCode = 1
  }
}
