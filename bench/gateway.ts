import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, Agent as HttpAgent, request as httpRequest, type RequestListener } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Pool } from 'undici'
import { throwawaySettings } from '../apps/server/src/kernel/database/embedded/settings.ts'
import { startPostgres } from '../apps/server/src/kernel/database/embedded/start-postgres.ts'
import { connectDatabase, connectionString, parseConnectionString } from '../apps/server/src/kernel/database/index.ts'
import { createPerson } from '../tests/support/people.ts'
import { alternate, formatTable, median } from './support/rounds.ts'
import { type Side, serveSide, startSide } from './support/sides.ts'

/**
 * Calls of a model through the whole gateway (key, access, budget, journal and log on) beside a bare pass-through by
 * undici and a direct call, all to the same fake upstream. Bounds: at least 0.5 of the bare pass-through, and at the
 * median at most 3 ms more than direct to the first byte of a stream.
 */

const message = { role: 'user', content: 'Say something about the weather of tomorrow. '.repeat(20) }
const answer = JSON.stringify({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'rain '.repeat(100) }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 200, completion_tokens: 100 },
})
const chunk = `data: ${JSON.stringify({ id: '1', object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content: 'rain ' } }] })}\n\n`
const lastChunk = `data: ${JSON.stringify({ id: '1', choices: [], usage: { prompt_tokens: 200, completion_tokens: 50 } })}\n\n`

const servers = { upstream: startUpstream, 'bare undici': startBare, gateway: startGateway }

if (process.env.SVC_BENCH_SIDE) await serveSide(servers)

export async function run(): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'svc-bench-'))
  const postgres = await startPostgres({ dataDirectory: directory, settings: throwawaySettings, durable: false })
  const file = fileURLToPath(import.meta.url)
  const sides: Side[] = []
  try {
    process.env.DATABASE_URL = connectionString(postgres.connection)
    process.env.SVC_BENCH_DATA = directory
    const upstream = await startSide(file, 'upstream')
    sides.push(upstream)
    process.env.SVC_BENCH_UPSTREAM = String(upstream.port)
    const bare = await startSide(file, 'bare undici')
    sides.push(bare)
    const gateway = await startSide(file, 'gateway')
    sides.push(gateway)
    const key = await makeKey(gateway.port, directory)
    await report([gateway, bare, upstream], key)
  } finally {
    for (const side of sides) await side.stop()
    await postgres.stop()
    await rm(directory, { recursive: true, force: true })
  }
}

async function report(sides: readonly Side[], key: string): Promise<void> {
  const rows: string[][] = []
  for (const isStream of [false, true]) {
    const requests = isStream ? 640 : 1_600
    const rates = await alternate(3, sides, (side) => measure(side.port, key, isStream, requests))
    const [ours = 0, bare = 1] = rates
    const ratio = ours / bare
    rows.push([
      isStream ? 'stream' : 'document',
      ...rates.map((rate) => `${Math.round(rate)}/s`),
      `${ratio.toFixed(2)} ${ratio >= 0.5 ? 'ok' : 'BELOW'}`,
    ])
  }
  console.log('calls per second, median of 3 alternated rounds, 16 connections')
  console.log(formatTable(['call', 'gateway', 'bare undici', 'direct', 'of bare (>= 0.5)'], rows))
  const times = new Map<string, number[]>()
  for (const side of sides) times.set(side.name, await firstBytes(side.port, key, 300))
  const direct = median(times.get('upstream') ?? [])
  const shown = [...times].map(([name, values]) => {
    const sorted = [...values].sort((a, b) => a - b)
    const added = median(values) - direct
    const p99 = sorted[Math.floor(sorted.length * 0.99)] ?? 0
    return [name, median(values).toFixed(2), p99.toFixed(2), `${added.toFixed(2)} ${added <= 3 ? 'ok' : 'ABOVE'}`]
  })
  console.log('milliseconds to the first byte of a stream, one call at a time')
  console.log(formatTable(['side', 'median', 'p99', 'added (<= 3)'], shown))
}

/** Prepared bytes on raw sockets, so that the servers are what is measured. */
async function measure(port: number, key: string, isStream: boolean, requests: number): Promise<number> {
  const body = JSON.stringify({ model: 'm', messages: [message], max_tokens: 200, stream: isStream })
  const head = [
    'POST /v1/llm/chat/completions HTTP/1.1',
    'Host: localhost',
    `Authorization: Bearer ${key}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ]
  const bytes = Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`)
  const connections = 16
  const each = Math.ceil(requests / connections)
  const startedAt = performance.now()
  await Promise.all(Array.from({ length: connections }, () => drive(port, bytes, each)))
  return (each * connections) / ((performance.now() - startedAt) / 1_000)
}

function drive(port: number, bytes: Buffer, count: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    let left = count
    let seen = ''
    socket.setEncoding('latin1')
    socket.on('data', (piece: string) => {
      seen += piece
      const end = seen.indexOf('\r\n\r\n')
      if (end < 0) return
      if (!seen.startsWith('HTTP/1.1 200')) return reject(new Error(`unexpected answer: ${seen.slice(0, 300)}`))
      const size = /content-length: (\d+)/i.exec(seen.slice(0, end))?.[1]
      const isWhole = size === undefined ? seen.endsWith('\r\n0\r\n\r\n') : seen.length >= end + 4 + Number(size)
      if (!isWhole) return
      seen = ''
      left -= 1
      if (left > 0) return socket.write(bytes)
      socket.end()
      resolve()
    })
    socket.on('error', reject)
  })
}

async function firstBytes(port: number, key: string, count: number): Promise<number[]> {
  const agent = new HttpAgent({ keepAlive: true, maxSockets: 1 })
  const times: number[] = []
  for (let at = 0; at < count; at++) times.push(await firstByte(agent, port, key))
  agent.destroy()
  return times.slice(Math.floor(count / 10))
}

function firstByte(agent: HttpAgent, port: number, key: string): Promise<number> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  return new Promise((resolve, reject) => {
    const startedAt = performance.now()
    const sent = httpRequest({ agent, port, method: 'POST', path: '/v1/llm/chat/completions', headers }, (response) => {
      let first: number | undefined
      response.on('data', () => {
        first ??= performance.now() - startedAt
      })
      response.on('end', () => resolve(first ?? 0))
    })
    sent.on('error', reject)
    sent.end(JSON.stringify({ model: 'm', messages: [message], max_tokens: 200, stream: true }))
  })
}

async function makeKey(port: number, dataDir: string): Promise<string> {
  const database = connectDatabase(parseConnectionString(process.env.DATABASE_URL ?? ''))
  try {
    const person = await createPerson({ database, dataDir: join(dataDir, 'data') })
    const call = async (method: string, path: string, body: object) => {
      const response = await fetch(`http://127.0.0.1:${port}/v1/projects/${path}`, {
        method,
        headers: person.headers,
        body: JSON.stringify(body),
      })
      const document: unknown = await response.json()
      if (!response.ok) throw new Error(`${path} answered ${response.status}: ${JSON.stringify(document)}`)
      return Object(document)
    }
    const { project_id } = await call('POST', 'provision', { name: 'bench' })
    await call('PUT', `${project_id}/gateway/budgets`, { scope: 'project', limit_usd: 1_000_000 })
    return String((await call('POST', `${project_id}/gateway/keys`, { name: 'bench' })).secret_key)
  } finally {
    await database.disconnect()
  }
}

function listen(listener: RequestListener): Promise<number> {
  const server = createServer(listener)
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      resolve(typeof address === 'object' && address ? address.port : 0)
    })
  })
}

function startUpstream(): Promise<number> {
  return listen(async (incoming, outgoing) => {
    let body = ''
    for await (const piece of incoming) body += piece
    if (!body.includes('"stream":true')) {
      outgoing.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(answer) })
      outgoing.end(answer)
      return
    }
    outgoing.writeHead(200, { 'content-type': 'text/event-stream' })
    for (let at = 0; at < 20; at++) {
      outgoing.write(chunk)
      await new Promise((resolve) => setImmediate(resolve))
    }
    outgoing.end(`${lastChunk}data: [DONE]\n\n`)
  })
}

function startBare(): Promise<number> {
  const pool = new Pool(`http://127.0.0.1:${process.env.SVC_BENCH_UPSTREAM}`, { connections: 64 })
  return listen(async (incoming, outgoing) => {
    const pieces: Buffer[] = []
    for await (const piece of incoming) pieces.push(piece)
    const { statusCode, headers, body } = await pool.request({
      path: '/v1/chat/completions',
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: Buffer.concat(pieces),
    })
    outgoing.writeHead(statusCode, { ...headers, connection: 'keep-alive' })
    await pipeline(body, outgoing)
  })
}

async function startGateway(): Promise<number> {
  const directory = process.env.SVC_BENCH_DATA ?? ''
  const models = join(directory, 'models.json')
  const price = { input: 1, output: 4 }
  await writeFile(
    models,
    JSON.stringify({
      providers: { bench: { base_url: `http://127.0.0.1:${process.env.SVC_BENCH_UPSTREAM}/v1` } },
      models: { m: { provider: 'bench', cost: price } },
    }),
  )
  const port = await findFreePort()
  const server = spawn(process.execPath, ['apps/server/dist/main.mjs'], {
    stdio: 'ignore',
    env: {
      ...process.env,
      PORT: String(port),
      SVC_DATA_DIR: join(directory, 'data'),
      SVC_MODELS_FILE: models,
      SVC_BENCH_SIDE: '',
    },
  })
  process.once('exit', () => server.kill())
  for (;;) {
    if (server.exitCode !== null) throw new Error('the server did not start')
    const health = await fetch(`http://127.0.0.1:${port}/v1/health`).catch(() => undefined)
    if (health?.ok) return port
    await sleep(100)
  }
}

async function findFreePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' && address ? address.port : 0
}
